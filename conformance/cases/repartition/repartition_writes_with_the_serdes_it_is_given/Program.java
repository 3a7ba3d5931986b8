import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;

/** The serdes of a repartition are used to write the internal topic and to read it again. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .map((key, value) -> KeyValue.pair(Integer.parseInt(key), (long) value.length()))
            .repartition(Repartitioned.<Integer, Long>as("numbers")
                .withKeySerde(Serdes.Integer()).withValueSerde(Serdes.Long()))
            .map((key, value) -> KeyValue.pair(String.valueOf(key + 1), String.valueOf(value + 1)))
            .to("out", Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }
}
