import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;

/** A sink uses the serdes of its stream until a verb that may change the type forgets them. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in", Consumed.with(Serdes.String(), Serdes.String()));
        stream.filter((key, value) -> true).to("filter");
        stream.filterNot((key, value) -> false).to("filter-not");
        stream.map((key, value) -> KeyValue.pair(key, value)).to("map");
        stream.mapValues(value -> value).to("map-values");
        stream.flatMap((key, value) -> List.of(KeyValue.pair(key, value))).to("flat-map");
        stream.flatMapValues(value -> List.of(value)).to("flat-map-values");
        stream.selectKey((key, value) -> key).to("select-key");
        stream.peek((key, value) -> { }).to("peek");
        stream.process(PassOn::new).to("process");
        stream.processValues(PassValueOn::new).to("process-values");
        stream.merge(builder.stream("other")).to("merge");
        stream.split(Named.as("split-")).defaultBranch().get("split-0").to("branch");
        return builder.build();
    }

    public static class Shout extends Serdes.WrapperSerde<String> {
        public Shout() {
            super(
                (topic, value) -> value == null ? null : value.toUpperCase().getBytes(),
                new StringDeserializer()
            );
        }
    }

    public void configure(Properties config) {
        config.put("default.key.serde", Shout.class);
        config.put("default.value.serde", Shout.class);
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
