import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** An extractor sees key, value, headers and place of the record and decides its timestamp. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TimestampExtractor extractor = (record, partitionTime) -> {
            log.add(record.topic() + " " + record.partition() + " " + record.offset()
                + " " + record.timestamp() + " " + record.key());
            return Long.parseLong((String) record.value()) + record.headers().toArray().length;
        };
        builder.stream("in", Consumed.with(extractor)).to("out");
        return builder.build();
    }
}
