import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Printed;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;

/** Without names every verb takes a prefix and the next number. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in")
            .filter((key, value) -> true)
            .filterNot((key, value) -> false)
            .map((key, value) -> KeyValue.pair(key, value))
            .mapValues(value -> value)
            .mapValues((key, value) -> value)
            .flatMap((key, value) -> List.of(KeyValue.pair(key, value)))
            .flatMapValues(value -> List.of(value))
            .flatMapValues((key, value) -> List.of(value))
            .selectKey((key, value) -> key)
            .peek((key, value) -> { })
            .process(PassOn::new)
            .processValues(PassValueOn::new)
            .repartition();
        stream.merge(builder.stream("other")).to("out");
        stream.filter((key, value) -> false).print(Printed.toSysOut());
        stream.foreach((key, value) -> { });
        Map<String, KStream<String, String>> branches = stream.split().branch((key, value) -> true).defaultBranch();
        for (String name : new TreeMap<>(branches).keySet()) {
            log.add(name);
            branches.get(name).to("branch");
        }
        return builder.build();
    }

    static class PassOn extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record);
        }
    }

    static class PassValueOn extends ContextualFixedKeyProcessor<String, String, String> {
        public void process(FixedKeyRecord<String, String> record) {
            context().forward(record);
        }
    }
}
