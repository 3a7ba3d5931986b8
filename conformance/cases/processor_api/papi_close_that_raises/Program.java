import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** An exception in close is reported; the other processors are closed all the same. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        for (String name : List.of("a", "bad", "c")) {
            stream.process(() -> new Close(name, log)).to("out");
        }
        return builder.build();
    }

    static class Close extends ContextualProcessor<String, String, String, String> {
        final String name;
        final Log log;

        Close(String name, Log log) {
            this.name = name;
            this.log = log;
        }

        public void process(Record<String, String> record) {
        }

        public void close() {
            log.add("close " + name);
            if (name.equals("bad")) {
                throw new IllegalStateException("does not close");
            }
        }
    }
}
