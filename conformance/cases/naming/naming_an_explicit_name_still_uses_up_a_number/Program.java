import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;

/** A named verb uses up a number, so naming it does not renumber its neighbours. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in", Consumed.as("source"))
            .mapValues(value -> value)
            .filter((key, value) -> true, Named.as("filter"))
            .mapValues(value -> value)
            .selectKey((key, value) -> value, Named.as("select"))
            .peek((key, value) -> { })
            .to("out", Produced.as("sink"));
        builder.stream("late").to("out");
        return builder.build();
    }
}
