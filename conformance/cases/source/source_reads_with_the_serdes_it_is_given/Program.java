import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/** Consumed serdes read numbers as Kafka does; a null stays null. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(Serdes.Integer(), Serdes.Double()))
            .map((key, value) ->
                KeyValue.pair(String.valueOf(key + 1), value == null ? null : String.valueOf(value / 2)))
            .to("out", Produced.with(Serdes.String(), Serdes.String()));
        return builder.build();
    }
}
