import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** A read-only store has its input topic as its changelog and writes none of its own. */
public class Program implements Case {
    @Override
    public Topology topology(final Log log) {
        return new Topology()
            .addReadOnlyStateStore(
                Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("names"), Serdes.String(), Serdes.String()),
                "rows",
                new StringDeserializer(),
                new StringDeserializer(),
                "names",
                "fill",
                Fill::new
            )
            .addSource("source", "in")
            .addProcessor("name", Name::new, "source")
            .connectProcessorAndStateStores("name", "names")
            .addSink("sink", "out", "name");
    }

    private static final class Fill extends ContextualProcessor<String, String, Void, Void> {
        @Override
        public void process(final Record<String, String> record) {
            final KeyValueStore<String, String> names = context().getStateStore("names");
            names.put(record.key(), record.value());
        }
    }

    private static final class Name extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final KeyValueStore<String, String> names = context().getStateStore("names");
            final String name = names.get(record.key());
            context().forward(record.withValue(record.value() + " " + (name == null ? "-" : name)));
        }
    }
}
