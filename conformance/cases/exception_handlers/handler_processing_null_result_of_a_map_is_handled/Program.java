import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;

/** A map that gives null fails inside its node, so the handler may go on. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.map((key, value) -> value != null ? KeyValue.pair(key, value) : null).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
