import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.TopicNameExtractor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A topic extractor sees where the input came from and the record's own timestamp. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TopicNameExtractor<String, String> where = (key, value, context) ->
            context.topic() + "-" + context.partition() + "-" + context.offset() + "-" + context.timestamp();
        builder.<String, String>stream(List.of("left", "right")).process(Later::new).to(where);
        return builder.build();
    }

    static class Later extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record);
            context().forward(record.withTimestamp(record.timestamp() + 100));
        }
    }
}
