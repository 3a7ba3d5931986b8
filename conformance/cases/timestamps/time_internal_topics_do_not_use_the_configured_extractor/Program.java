import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** A repartition topic keeps the timestamps that were written to it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").repartition(Repartitioned.as("again")).to("between");
        builder.stream("between").to("out");
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
