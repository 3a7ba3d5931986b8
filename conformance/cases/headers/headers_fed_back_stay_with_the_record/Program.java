import org.apache.kafka.common.header.Header;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A record that is written to a source topic comes back with its headers. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Visit::new).to((key, value, context) -> value);
        return builder.build();
    }

    static class Visit extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            int visits = 0;
            for (Header header : record.headers().headers("visit")) {
                visits++;
            }
            record.headers().add("visit", String.valueOf(visits).getBytes());
            context().forward(record.withValue(visits < 2 ? "in" : "out"));
        }
    }
}
