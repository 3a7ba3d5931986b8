import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Stores of a supplier are added and connected with its processor; two may bring the same one. */
public class Program extends DslCase {
    private static final StoreBuilder<KeyValueStore<String, String>> STORE =
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("seen"), Serdes.String(), Serdes.String());

    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final KStream<String, String> stream = builder.stream("in");
        stream.process(new Counts()).to("out");
        stream.process(new Counts()).to("again");
    }

    private static final class Counts implements ProcessorSupplier<String, String, String, String> {
        @Override
        public Processor<String, String, String, String> get() {
            return new Count();
        }

        @Override
        public Set<StoreBuilder<?>> stores() {
            return Set.of(STORE);
        }
    }

    private static final class Count extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final KeyValueStore<String, String> seen = context().getStateStore("seen");
            final String before = seen.get(record.key()) == null ? "" : seen.get(record.key());
            seen.put(record.key(), before + record.value());
            context().forward(record.withValue(before + record.value()));
        }
    }
}
