import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor of the DSL may name the verb that follows it. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").process(Route::new, Named.as("route"));
        stream.mapValues(value -> "L" + value, Named.as("left")).to("out");
        stream.mapValues(value -> "R" + value, Named.as("right")).to("out");
        return builder.build();
    }

    static class Route extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record, "right");
            context().forward(record, "left");
        }
    }
}
