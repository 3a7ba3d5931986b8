import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A header's value may be null, empty or bytes that are no text. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").repartition(Repartitioned.as("again")).process(Count::new).to("out");
        return builder.build();
    }

    static class Count extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            List<String> sizes = new ArrayList<>();
            for (Header header : record.headers()) {
                sizes.add(String.valueOf(header.value() == null ? -1 : header.value().length));
            }
            context().forward(record.withValue(String.join(" ", sizes)));
        }
    }
}
