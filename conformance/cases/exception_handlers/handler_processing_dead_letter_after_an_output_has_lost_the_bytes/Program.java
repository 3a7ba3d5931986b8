import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;

/** Once the input has produced a record, a later dead letter has neither key nor value. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.mapValues(Program::failOnBad).to("out");
        stream.to("between");
        stream.mapValues(Program::failOnBad).to("out");
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
        config.put("errors.dead.letter.queue.topic.name", "dead");
    }
}
