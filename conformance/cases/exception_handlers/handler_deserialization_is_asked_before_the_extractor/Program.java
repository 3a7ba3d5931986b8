import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.TimestampExtractor;

/** The timestamp extractor is not asked about a record that cannot be read. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TimestampExtractor extractor = (record, partitionTime) -> {
            log.add((String) record.value());
            return record.timestamp();
        };
        builder.stream("in", Consumed.with(Serdes.String(), new Picky()).withTimestampExtractor(extractor)).to("out");
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

    public void configure(Properties config) {
        config.put("deserialization.exception.handler", LogAndContinueExceptionHandler.class);
    }
}
