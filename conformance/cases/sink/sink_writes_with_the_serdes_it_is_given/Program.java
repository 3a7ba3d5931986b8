import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;

/** Produced serdes write numbers as Kafka does: big-endian, nulls as null. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").map(Program::parse)
            .to("out", Produced.with(Serdes.Integer(), Serdes.Long()));
        return builder.build();
    }

    static KeyValue<Integer, Long> parse(String key, String value) {
        return KeyValue.pair(Integer.parseInt(key), value == null ? null : (long) value.length());
    }
}
