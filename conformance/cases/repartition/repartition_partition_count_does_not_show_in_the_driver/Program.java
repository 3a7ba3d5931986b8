import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/** A number of partitions is accepted; the driver keeps one partition for every topic. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .repartition(Repartitioned.<String, String>as("wide").withNumberOfPartitions(7))
            .process(() -> new Where(log))
            .to("out");
        return builder.build();
    }

    static class Where extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Where(Log log) {
            this.log = log;
        }

        public void process(Record<String, String> record) {
            RecordMetadata metadata = context().recordMetadata().get();
            log.add(metadata.topic() + " " + metadata.partition() + " " + metadata.offset());
            context().forward(record);
        }
    }
}
