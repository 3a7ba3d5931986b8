import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Records may be kept and forwarded later; each has its own time and headers then. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Pair::new).to((key, value, context) -> "out-" + context.offset());
        return builder.build();
    }

    static class Pair extends ContextualProcessor<String, String, String, String> {
        List<Record<String, String>> kept = new ArrayList<>();

        public void process(Record<String, String> record) {
            kept.add(record);
            if (kept.size() == 2) {
                for (Record<String, String> each : kept) {
                    context().forward(each);
                }
                kept = new ArrayList<>();
            }
        }
    }
}
