import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;

/** When a task is made, suppliers are called in the order in which the nodes were added. */
public class Program implements Case {
    private final List<String> made = new ArrayList<>();

    @Override
    public Topology topology(final Log log) {
        return new Topology()
            .addSource("source", "in")
            .addProcessor("first", supplier("first", log), "source")
            .addProcessor("second", supplier("second", log), "first")
            .addProcessor("third", supplier("third", log), "source");
    }

    private ProcessorSupplier<String, String, String, String> supplier(final String name, final Log log) {
        return () -> {
            made.add(name);
            return new Show(log);
        };
    }

    private final class Show extends ContextualProcessor<String, String, String, String> {
        private final Log log;

        Show(final Log log) {
            this.log = log;
        }

        @Override
        public void init(final ProcessorContext<String, String> context) {
            super.init(context);
            log.add("last made: " + String.join(" ", made.subList(made.size() - 3, made.size())));
        }

        @Override
        public void process(final Record<String, String> record) {
            context().forward(record);
        }
    }
}
