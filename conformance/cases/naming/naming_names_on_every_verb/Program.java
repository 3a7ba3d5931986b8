import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Printed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;

/** With a name given to every verb no generated name is left. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> source = builder.stream("in", Consumed.as("source"));
        KStream<String, String> stream = source
            .filter((key, value) -> true, Named.as("filter"))
            .filterNot((key, value) -> false, Named.as("filter-not"))
            .map((key, value) -> KeyValue.pair(key, value), Named.as("map"))
            .mapValues(value -> value, Named.as("map-values"))
            .mapValues((key, value) -> value, Named.as("map-values-with-key"))
            .flatMap((key, value) -> List.of(KeyValue.pair(key, value)), Named.as("flat-map"))
            .flatMapValues(value -> List.of(value), Named.as("flat-map-values"))
            .flatMapValues((key, value) -> List.of(value), Named.as("flat-map-values-with-key"))
            .selectKey((key, value) -> key, Named.as("select-key"))
            .peek((key, value) -> { }, Named.as("peek"))
            .process(PassOn::new, Named.as("process"))
            .processValues(PassValueOn::new, Named.as("process-values"))
            .repartition(Repartitioned.as("again"));
        KStream<String, String> other = builder.stream("other", Consumed.as("other-source"));
        stream.merge(other, Named.as("merge")).to("out", Produced.as("sink"));
        stream.filter((key, value) -> false, Named.as("none"))
            .print(Printed.<String, String>toSysOut().withName("print"));
        stream.foreach((key, value) -> { }, Named.as("for-each"));
        Map<String, KStream<String, String>> branches = stream.split(Named.as("split-"))
            .branch((key, value) -> true, Branched.as("yes"))
            .defaultBranch(Branched.as("no"));
        branches.get("split-yes").to("branch", Produced.as("yes-sink"));
        branches.get("split-no").to("branch", Produced.as("no-sink"));
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
