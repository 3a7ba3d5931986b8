import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;

/** Headers stay with the record through every verb, and each child of a flat_map has them. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in")
            .filter((key, value) -> true)
            .filterNot((key, value) -> false)
            .map((key, value) -> KeyValue.pair(value, key))
            .mapValues(value -> value + "!")
            .flatMap((key, value) -> List.of(KeyValue.pair(key, value), KeyValue.pair(value, key)))
            .flatMapValues(value -> List.of(value, value))
            .selectKey((key, value) -> "k")
            .peek((key, value) -> { })
            .process(PassOn::new)
            .processValues(PassValueOn::new);
        Map<String, KStream<String, String>> branches = stream.split(Named.as("split-"))
            .branch((key, value) -> true).noDefaultBranch();
        branches.get("split-1").merge(builder.stream("other")).to("out");
        return builder.build();
    }

    static class PassOn extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }

    static class PassValueOn extends ContextualFixedKeyProcessor<String, String, String> {
        public void process(FixedKeyRecord<String, String> record) {
            context().forward(record.withValue(record.value()));
        }
    }
}
