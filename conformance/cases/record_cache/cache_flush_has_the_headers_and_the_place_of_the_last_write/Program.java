import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** What is forwarded at a flush has the headers of the record of the last write; its processors see where that was. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        KStream<String, String> words = builder.<String, String>stream("in").flatMapValues(line -> List.of(line.split(" ")));
        KTable<String, Long> counts = words.groupByKey().count(Materialized.as("counts"));
        counts.toStream().process(() -> new Where(log)).to("out");
    }

    public void configure(Properties config) {
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 10485760);
    }

    static class Where extends ContextualProcessor<String, Long, String, String> {
        final Log log;

        Where(Log log) {
            this.log = log;
        }

        public void process(Record<String, Long> record) {
            var place = context().recordMetadata().get();
            log.add(place.topic() + " " + place.partition() + " " + place.offset() + " " + record.timestamp());
            context().forward(record.withValue(String.valueOf(record.value())));
        }
    }
}
