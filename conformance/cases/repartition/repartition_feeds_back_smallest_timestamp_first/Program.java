import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;

/** Records waiting in two internal topics are taken by timestamp. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.process(Shift.by(20)).repartition(Repartitioned.as("later")).foreach(
            (key, value) -> log.add("later " + value)
        );
        stream.process(Shift.by(10)).repartition(Repartitioned.as("sooner")).foreach(
            (key, value) -> log.add("sooner " + value)
        );
        return builder.build();
    }

    static class Shift extends ContextualProcessor<String, String, String, String> {
        static ProcessorSupplier<String, String, String, String> by(long ms) {
            return () -> new Shift(ms);
        }

        final long ms;

        Shift(long ms) {
            this.ms = ms;
        }

        public void process(Record<String, String> record) {
            context().forward(record.withTimestamp(record.timestamp() + ms));
        }
    }
}
