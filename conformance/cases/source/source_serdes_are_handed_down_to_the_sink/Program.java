import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;

/** A sink without serdes uses those of the source as long as no verb changed the type. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<Integer, Long> source = builder.stream("in", Consumed.with(Serdes.Integer(), Serdes.Long()));
        source.filter((key, value) -> value > 0).peek((key, value) -> { }).to("out");
        return builder.build();
    }
}
