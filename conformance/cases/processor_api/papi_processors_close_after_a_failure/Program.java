import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** After a failed step close is still called on every processor. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.process(() -> new Fail("left", log)).to("out");
        stream.process(() -> new Fail("right", log)).to("out");
        return builder.build();
    }

    static class Fail extends ContextualProcessor<String, String, String, String> {
        final String name;
        final Log log;

        Fail(String name, Log log) {
            this.name = name;
            this.log = log;
        }

        public void process(Record<String, String> record) {
            log.add("process " + name);
            if (record.value().equals(name)) {
                throw new IllegalStateException("no");
            }
            context().forward(record);
        }

        public void close() {
            log.add("close " + name);
        }
    }
}
