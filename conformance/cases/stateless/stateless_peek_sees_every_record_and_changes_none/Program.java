import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

/** peek is called before the nodes behind it and passes the record on as it is. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .peek((key, value) -> log.add("first " + key + " " + value))
            .filter((key, value) -> !value.equals("x"))
            .peek((key, value) -> log.add("second " + key + " " + value))
            .to("out");
        return builder.build();
    }
}
