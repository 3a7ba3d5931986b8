import java.util.List;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Every verb that may change the key leads through a topic, as soon as something is aggregated. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> stream = builder.stream("in");
        stream.map((key, value) -> KeyValue.pair(value, key)).groupByKey().count().toStream().to("map");
        stream.flatMap((key, value) -> List.of(KeyValue.pair(value, key))).groupByKey().count().toStream().to("flat-map");
        stream.selectKey((key, value) -> value).groupByKey().count().toStream().to("select-key");
        stream.process(PassOn::new).groupByKey().count().toStream().to("process");
    }

    static class PassOn extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }
}
