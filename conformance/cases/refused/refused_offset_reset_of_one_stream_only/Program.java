import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;

/** Of two streams of one topic both must say where to start, or none. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(AutoOffsetReset.earliest())).to("out");
        builder.stream("in").to("out");
        return builder.build();
    }
}
