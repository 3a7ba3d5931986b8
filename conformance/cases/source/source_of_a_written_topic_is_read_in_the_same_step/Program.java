import java.util.List;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A chain of topics is worked off in one step, smallest timestamp first. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .flatMapValues(value -> List.of(value.split(""))).process(Shift::new).to("next");
        builder.<String, String>stream("next").peek((key, value) -> log.add(value)).to("last");
        builder.<String, String>stream("last").peek((key, value) -> log.add(value + "!")).to("out");
        return builder.build();
    }

    static class Shift extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record.withTimestamp(Long.parseLong(record.value())));
        }
    }
}
