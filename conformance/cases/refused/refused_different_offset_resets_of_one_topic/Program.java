import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;

/** Two streams of one topic must start at the same place. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(AutoOffsetReset.earliest())).to("out");
        builder.stream("in", Consumed.with(AutoOffsetReset.latest())).to("out");
        return builder.build();
    }
}
