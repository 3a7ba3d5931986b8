import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;

/** An exception in an extractor is fatal, whatever the handlers say. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(Program::extract)).to("out");
        return builder.build();
    }

    static long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
        if (record.value().equals("bad")) {
            throw new IllegalStateException("no time");
        }
        return record.timestamp();
    }

    public void configure(Properties config) {
        config.put("deserialization.exception.handler", LogAndContinueExceptionHandler.class);
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
