import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A changed timestamp holds for the children of that forward only. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.process(Shift::new).to((key, value, context) -> "shifted-" + context.timestamp());
        stream.to((key, value, context) -> "beside-" + context.timestamp());
        return builder.build();
    }

    static class Shift extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record.withTimestamp(record.timestamp() + 100));
            context().forward(record.withTimestamp(0));
            context().forward(record);
        }
    }
}
