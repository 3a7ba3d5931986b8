import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;

/** What a transformer does to the headers goes on with the record. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        class Marking implements ValueTransformerWithKey<String, String, String> {
            private ProcessorContext context;

            public void init(ProcessorContext context) {
                this.context = context;
            }

            public String transform(String key, String value) {
                context.headers().add("seen", "yes".getBytes());
                context.headers().remove("secret");
                return value;
            }

            public void close() {}
        }
        builder.<String, String>table("in").transformValues(Marking::new, Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as("kept")).toStream().to("out");
    }
}
