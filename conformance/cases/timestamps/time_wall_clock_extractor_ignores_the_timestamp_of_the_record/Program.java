import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.apache.kafka.streams.processor.WallclockTimestampExtractor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** The wall-clock extractor gives another time than the record's, a negative one included. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TimestampExtractor extractor = new WallclockTimestampExtractor();
        KStream<String, String> source = builder.stream("in", Consumed.with(extractor));
        source.process(Compare::new).to("out");
        return builder.build();
    }

    static class Compare extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            boolean told = String.valueOf(record.timestamp()).equals(record.value());
            context().forward(record.withValue(told ? "same" : "other").withTimestamp(0));
        }
    }
}
