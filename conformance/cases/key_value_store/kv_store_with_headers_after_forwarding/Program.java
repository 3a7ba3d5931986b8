import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStoreWithHeaders;

public class Program implements Case {
    @Override
    public Topology topology(final Log log) {
        final Topology topology = new Topology();
        topology.addSource("source", "in");
        topology.addProcessor("parent", Parent::new, "source");
        topology.addProcessor("child", Child::new, "parent");
        topology.addStateStore(store("mine"), "parent");
        topology.addStateStore(store("theirs"), "child");
        return topology;
    }

    private static StoreBuilder<TimestampedKeyValueStoreWithHeaders<String, String>> store(final String name) {
        return Stores.timestampedKeyValueStoreWithHeadersBuilder(
            Stores.persistentTimestampedKeyValueStoreWithHeaders(name), Serdes.String(), Serdes.String());
    }

    private static final class Parent implements Processor<String, String, String, String> {
        private ProcessorContext<String, String> context;
        private TimestampedKeyValueStoreWithHeaders<String, String> store;

        @Override
        public void init(final ProcessorContext<String, String> context) {
            this.context = context;
            store = context.getStateStore("mine");
            context.schedule(Duration.ofMillis(10), PunctuationType.STREAM_TIME, time -> store.delete("timer"));
        }

        @Override
        public void process(final Record<String, String> record) {
            final Record<String, String> forwarded = record.withTimestamp(record.timestamp() + 1);
            forwarded.headers().add("child", new byte[] {'1'});
            context.forward(forwarded);
            store.delete(record.key());
        }
    }

    private static final class Child implements Processor<String, String, String, String> {
        private TimestampedKeyValueStoreWithHeaders<String, String> store;

        @Override
        public void init(final ProcessorContext<String, String> context) {
            store = context.getStateStore("theirs");
        }

        @Override
        public void process(final Record<String, String> record) {
            store.delete(record.key());
        }
    }
}
