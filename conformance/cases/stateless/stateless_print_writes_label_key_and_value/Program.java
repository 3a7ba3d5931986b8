import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Printed;

/** print writes label, key and value; without a label the name of the node above it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.print(Printed.toSysOut());
        stream.print(Printed.<String, String>toSysOut().withLabel("mine"));
        stream.print(Printed.<String, String>toSysOut()
            .withKeyValueMapper((key, value) -> key + " -> " + value).withName("arrow"));
        return builder.build();
    }
}
