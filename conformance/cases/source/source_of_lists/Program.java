import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Produced;

/** Lists are written as Java's ListSerde writes them: of a fixed width, and of any. */
public class Program extends DslCase {
    @Override
    protected void build(final StreamsBuilder builder, final Log log) {
        final Serde<String> text = Serdes.String();
        final Serde<List<Integer>> numbers = Serdes.ListSerde(ArrayList.class, Serdes.Integer());
        final Serde<List<String>> words = Serdes.ListSerde(ArrayList.class, text);
        final KStream<String, String> stream = builder.stream("in", Consumed.with(text, text));
        stream.mapValues(Program::numbers).to("numbers", Produced.with(text, numbers));
        stream.mapValues(Program::words).to("words", Produced.with(text, words));
        builder.stream("numbers", Consumed.with(text, numbers))
            .mapValues(value -> value.stream().map(String::valueOf).collect(Collectors.joining(" ")))
            .to("out");
    }

    private static List<Integer> numbers(final String value) {
        final List<Integer> found = new ArrayList<>();
        for (final String part : value.split(",")) {
            if (!part.isEmpty()) {
                found.add(part.equals("-") ? null : Integer.valueOf(part));
            }
        }
        return found;
    }

    private static List<String> words(final String value) {
        final List<String> found = new ArrayList<>();
        for (final String part : value.split(",", -1)) {
            found.add(part.equals("-") ? null : part);
        }
        return found;
    }
}
