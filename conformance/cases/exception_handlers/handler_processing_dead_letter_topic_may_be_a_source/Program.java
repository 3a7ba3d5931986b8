import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;

/** A dead letter that is written to a source topic is fed back. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").mapValues(Program::failOnBad).to("out");
        builder.<String, String>stream("again").mapValues(value -> value.toUpperCase()).to("repaired");
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
        config.put("errors.dead.letter.queue.topic.name", "again");
    }
}
