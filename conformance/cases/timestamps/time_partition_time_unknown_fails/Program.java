import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;

/** Without a partition time to replace it a negative timestamp fails. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TimestampExtractor extractor = new UsePartitionTimeOnInvalidTimestamp();
        builder.stream(List.of("in", "other"), Consumed.with(extractor)).to("out");
        return builder.build();
    }
}
