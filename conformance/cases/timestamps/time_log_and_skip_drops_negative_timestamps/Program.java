import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp;

/** LogAndSkipOnInvalidTimestamp drops a record with a negative timestamp and counts it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(new LogAndSkipOnInvalidTimestamp())).to("out");
        return builder.build();
    }
}
