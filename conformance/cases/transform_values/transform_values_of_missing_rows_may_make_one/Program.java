import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;

/** A transformer that makes a value of None gives a join a row of no time. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        KTable<String, String> left = builder.table("left");
        KTable<String, String> right = builder.<String, String>table("right").transformValues(() -> new ValueTransformerWithKey<String, String, String>() {
            public void init(ProcessorContext context) {}
            public String transform(String key, String value) {
                return key + "=" + (value == null ? "None" : value);
            }
            public void close() {}
        });
        left.join(right, Program::joined).toStream().to("out");
        right.outerJoin(left, Program::joined).toStream().to("outer");
    }

    static String joined(Object left, Object right) {
        return (left == null ? "None" : left) + "-" + (right == null ? "None" : right);
    }
}
