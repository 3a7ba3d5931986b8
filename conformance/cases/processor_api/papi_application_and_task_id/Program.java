import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A processor knows application and task; the driver has one task for all sub-topologies. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.<String, String>stream("in").process(() -> new Who(log));
        stream.repartition(Repartitioned.as("again")).process(() -> new Who(log)).to("out");
        return builder.build();
    }

    static class Who extends ContextualProcessor<String, String, String, String> {
        final Log log;

        Who(Log log) {
            this.log = log;
        }

        public void process(Record<String, String> record) {
            log.add(context().applicationId() + " " + context().taskId());
            context().forward(record);
        }
    }
}
