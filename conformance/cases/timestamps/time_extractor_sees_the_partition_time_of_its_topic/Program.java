import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** Partition time is the highest timestamp taken from that topic, -1 before the first record. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TimestampExtractor extractor = (record, partitionTime) -> {
            log.add(record.topic() + " " + partitionTime);
            return record.timestamp();
        };
        builder.stream(List.of("left", "right"), Consumed.with(extractor)).to("out");
        return builder.build();
    }
}
