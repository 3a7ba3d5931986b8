import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor can read the settings of the application, also by prefix. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(Read::new).to("out");
        return builder.build();
    }

    static class Read extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            Object limit = context().appConfigs().get("app.limit");
            Map<String, Object> mine = context().appConfigsWithPrefix("app.");
            String value = limit + " " + mine.get("limit") + " " + mine.get("name") + " " + mine.size();
            context().forward(record.withValue(value));
        }
    }

    public void configure(Properties config) {
        config.put("app.limit", "5");
        config.put("app.name", "m");
    }
}
