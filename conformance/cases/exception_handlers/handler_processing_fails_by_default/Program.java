import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** An exception in a verb stops the task. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").mapValues(Program::failOnBad).to("out");
        return builder.build();
    }

    static String failOnBad(String value) {
        if ("bad".equals(value)) {
            throw new IllegalArgumentException("this is bad");
        }
        return value + "!";
    }
}
