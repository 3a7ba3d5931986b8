import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;

/** A fixed-key processor may forward to a child by name. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").processValues(Route::new);
        stream.peek((key, value) -> log.add("left " + value), Named.as("left")).to("out");
        stream.peek((key, value) -> log.add("right " + value), Named.as("right")).to("out");
        return builder.build();
    }

    static class Route extends ContextualFixedKeyProcessor<String, String, String> {
        public void process(FixedKeyRecord<String, String> record) {
            context().forward(record.withValue("1"), record.value());
            context().forward(record.withValue("2"));
        }
    }
}
