import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.FailOnInvalidTimestamp;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** A source without an extractor uses the configured one, a source with one its own. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("default").to("out");
        builder.stream("own", Consumed.with(new FailOnInvalidTimestamp())).to("out");
        return builder.build();
    }

    public static class Thousand implements TimestampExtractor {
        public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
            return record.timestamp() + 1000;
        }
    }

    public void configure(Properties config) {
        config.put("default.timestamp.extractor", Thousand.class);
    }
}
