import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.ValueTransformerWithKeySupplier;

/** A transformer is needed. */
public class Program extends DslCase {
    @Override
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").transformValues((ValueTransformerWithKeySupplier<String, String, String>) null);
    }
}
