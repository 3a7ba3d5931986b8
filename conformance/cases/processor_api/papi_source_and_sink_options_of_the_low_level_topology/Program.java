import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.RecordContext;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** Sources and sinks of the low-level topology take serdes, an extractor and a topic function. */
public class Program implements Case {
    public Topology topology(Log log) {
        TimestampExtractor extractor = (record, partitionTime) -> (Integer) record.value();
        Topology result = new Topology();
        result.addSource(
            (AutoOffsetReset) null, "source", extractor, new StringDeserializer(), new IntegerDeserializer(), "in"
        );
        result.addSink(
            "sink",
            (String key, Integer value, RecordContext context) -> "out-" + key,
            new StringSerializer(),
            new IntegerSerializer(),
            "source"
        );
        return result;
    }
}
