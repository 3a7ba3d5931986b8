import java.util.Properties;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** The forward of the node above the failing one returns as if nothing had happened. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").process(() -> new Twice(log)).mapValues(Program::failOnBad).to("out");
        return builder.build();
    }

    static String failOnBad(String value) {
        if ("bad".equals(value)) {
            throw new IllegalArgumentException("this is bad");
        }
        return value + "!";
    }

    static class Twice extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Twice(Log log) {
            this.log = log;
        }

        public void process(Record<String, String> record) {
            context().forward(record);
            log.add("back");
            context().forward(record.withValue(record.value() + record.value()));
            log.add("done");
        }
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
