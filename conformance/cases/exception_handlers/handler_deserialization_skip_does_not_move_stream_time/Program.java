import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** A record that cannot be read moves neither stream time nor partition time, but has an offset. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream("in", Consumed.with(Serdes.String(), new Picky())).process(Clock::new).to("out");
        return builder.build();
    }

    public static class Picky extends Serdes.WrapperSerde<String> {
        public Picky() {
            super(new StringSerializer(), Picky::read);
        }

        static String read(String topic, byte[] data) {
            String value = data == null ? null : new String(data);
            if ("unreadable".equals(value)) {
                throw new IllegalArgumentException("cannot read this");
            }
            return value;
        }
    }

    static class Clock extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            RecordMetadata metadata = context().recordMetadata().get();
            String now = context().currentStreamTimeMs() + " at " + metadata.offset();
            context().forward(record.withValue(now));
        }
    }

    public void configure(Properties config) {
        config.put("deserialization.exception.handler", LogAndContinueExceptionHandler.class);
    }
}
