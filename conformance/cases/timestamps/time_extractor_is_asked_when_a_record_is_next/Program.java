import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** The timestamp of a record is extracted when it is next in its topic, not when it arrives. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TimestampExtractor extractor = (record, partitionTime) -> {
            log.add(record.value() + " after " + partitionTime);
            return record.timestamp();
        };
        builder.stream(List.of("left", "right"), Consumed.with(extractor)).to("out");
        return builder.build();
    }

    public void configure(Properties config) {
        config.put("max.task.idle.ms", 100);
    }
}
