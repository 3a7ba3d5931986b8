import org.apache.kafka.streams.StreamsBuilder;

/** By default an aggregator that raises stops the task. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupByKey()
            .aggregate(() -> "0", (key, value, total) -> String.valueOf(1 / Integer.parseInt(value)));
    }
}
