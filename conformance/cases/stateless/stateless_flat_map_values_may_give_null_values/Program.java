import java.util.Arrays;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** A list with a null in it gives a record with a null value. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").flatMapValues(value -> Arrays.asList(value, null, value)).to("out");
        return builder.build();
    }
}
