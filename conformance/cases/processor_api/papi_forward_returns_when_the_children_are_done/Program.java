import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** forward comes back after everything below has been done. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .process(() -> new Around("outer", log))
            .process(() -> new Around("inner", log))
            .foreach((key, value) -> log.add("end"));
        return builder.build();
    }

    static class Around extends ContextualProcessor<String, String, String, String> {
        final String name;
        final Log log;

        Around(String name, Log log) {
            this.name = name;
            this.log = log;
        }

        public void process(Record<String, String> record) {
            log.add("before " + name);
            context().forward(record);
            log.add("after " + name);
        }
    }
}
