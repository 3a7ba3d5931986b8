import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** flat_map_values gives one record per value, each with the key of the input. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").flatMapValues(
            value -> value == null || value.isEmpty() ? List.<String>of() : List.of(value.split(""))
        ).to("out");
        return builder.build();
    }
}
