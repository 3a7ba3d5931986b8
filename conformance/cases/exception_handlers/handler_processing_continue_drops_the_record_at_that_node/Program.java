import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;

/** With LogAndContinue the failing node drops the record, its siblings still get it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.to("before");
        stream.mapValues(Program::failOnBad).to("out");
        stream.to("after");
        return builder.build();
    }

    static String failOnBad(String value) {
        if ("bad".equals(value)) {
            throw new IllegalArgumentException("this is bad");
        }
        return value + "!";
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
