import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Two nodes with the same supplier have two objects, each with its own count. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.filter((key, value) -> key.equals("a")).process(Count::new).to("out");
        stream.process(Count::new).to("out");
        return builder.build();
    }

    static class Count extends ContextualProcessor<String, String, String, String> {
        int count = 0;

        public void process(Record<String, String> record) {
            count += 1;
            context().forward(record.withValue(String.valueOf(count)));
        }
    }
}
