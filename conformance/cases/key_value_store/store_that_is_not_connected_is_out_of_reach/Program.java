import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.Stores;

/** A processor gets only the stores that are connected to it. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("store"), Serdes.String(), Serdes.String()));
        builder.<String, String>stream("in").process(Look::new).to("out");
    }

    static class Look extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().getStateStore("store");
        }
    }
}
