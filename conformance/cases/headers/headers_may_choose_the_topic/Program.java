import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.processor.TopicNameExtractor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** A topic extractor sees the headers of the record it routes, as the nodes above left them. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        TopicNameExtractor<String, String> route = (key, value, context) -> {
            Header to = context.headers().lastHeader("to");
            return to == null ? "nowhere" : new String(to.value());
        };
        KStream<String, String> stream = builder.stream("in");
        stream.to(route);
        stream.process(Redirect::new).to(route);
        return builder.build();
    }

    static class Redirect extends ContextualProcessor<String, String, String, String> {
        public void process(Record<String, String> record) {
            context().forward(record.withHeaders(new RecordHeaders().add("to", "redirected".getBytes())));
        }
    }
}
