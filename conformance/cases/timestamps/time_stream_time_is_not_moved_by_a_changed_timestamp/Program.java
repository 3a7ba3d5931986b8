import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor that changes the timestamp moves stream time only where the record is read again. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .process(Later::new)
            .process(() -> new Clock(log, "before"))
            .repartition(Repartitioned.as("again"))
            .process(() -> new Clock(log, "after"))
            .to("out");
        return builder.build();
    }

    static class Later extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record.withTimestamp(record.timestamp() + 100));
        }
    }

    static class Clock extends ContextualProcessor<String, String, String, String> {
        final Log log;
        final String name;

        Clock(Log log, String name) {
            this.log = log;
            this.name = name;
        }

        public void process(Record<String, String> record) {
            log.add(name + " " + record.timestamp() + " " + context().currentStreamTimeMs());
            context().forward(record);
        }
    }
}
