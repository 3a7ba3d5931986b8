import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;

/** A case whose records hold commands for a store, separated by semicolons; answers are forwarded. Twin: conformance/store_commands.py. */
public abstract class StoreCommands<S extends StateStore> extends DslCase {
    protected abstract StoreBuilder<S> store();

    /** Carries out a command; null if there is no answer. */
    protected abstract String answer(S store, String[] words);

    @Override
    protected final void build(final StreamsBuilder builder, final Log log) {
        builder.addStateStore(store());
        builder.<String, String>stream("in").process(() -> new Clerk(), "store").to("out");
    }

    /** Reads a word: a dash is null. */
    protected static String word(final String text) {
        return text.equals("-") ? null : text;
    }

    protected static long number(final String text) {
        return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
    }

    static String shown(final Object value) {
        return value == null ? "-" : value.toString();
    }

    static String listed(final Iterator<? extends KeyValue<?, ?>> rows) {
        final List<String> shown = new ArrayList<>();
        rows.forEachRemaining(row -> shown.add(row.key + "=" + row.value));
        return "[" + String.join(" ", shown) + "]";
    }

    private final class Clerk extends ContextualProcessor<String, String, String, String> {
        @Override
        public void process(final Record<String, String> record) {
            final S store = context().getStateStore("store");
            for (final String command : record.value().split("; ")) {
                final String answer = answer(store, command.split(" "));
                if (answer != null) {
                    context().forward(record.withValue(command + ": " + answer));
                }
            }
        }
    }
}
