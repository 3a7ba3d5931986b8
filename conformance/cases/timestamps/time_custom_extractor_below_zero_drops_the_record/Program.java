import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** A record whose extractor gives a negative number is dropped and counted; partition time stays. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TimestampExtractor extractor = (record, partitionTime) -> {
            log.add(record.value() + " after " + partitionTime);
            return "skip".equals(record.value()) ? -1 : record.timestamp();
        };
        builder.stream("in", Consumed.with(extractor)).to("out");
        return builder.build();
    }
}
