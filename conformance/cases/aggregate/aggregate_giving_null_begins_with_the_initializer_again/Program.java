import org.apache.kafka.streams.StreamsBuilder;

/** An aggregate of null deletes the row; the next record begins with the initializer. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>stream("in").groupByKey()
            .<String>aggregate(() -> "start", (key, value, total) -> value.equals("end") ? null : total + "+" + value)
            .toStream().to("out");
    }
}
