import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/** What the topics hold: the twins of benchmarks/records.py, written field by field in the same order. */
final class Records {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    record Order(long id, String user, String product, long cents, int quantity, long at) {
    }

    record Line(long id, String user, long total) {
    }

    record Profile(String user, String name, String tier, long visits) {
    }

    record Enriched(long id, String name, String tier, long total) {
    }

    record Payment(String order, String method, long cents) {
    }

    record Settled(long id, String method, long open) {
    }

    record Visit(long orders, long cents) {
        Visit plus(final Order order) {
            return new Visit(orders + 1, cents + order.cents());
        }

        Visit and(final Visit other) {
            return new Visit(orders + other.orders, cents + other.cents);
        }
    }

    /** What is known of a card in a window; `fast`: three purchases within a second. */
    record Card(long count, long cents, long last, long before, boolean fast) {
        static Card empty() {
            return new Card(0, 0, -1_000_000, -1_000_000, false);
        }

        Card plus(final Order order) {
            final boolean three = Math.abs(order.at() - before) < 1_000;
            return new Card(count + 1, cents + order.cents(), order.at(), last, fast || three);
        }

        boolean suspicious() {
            return fast || count > 60 || cents > 500_000;
        }
    }

    record Alert(String card, long start, long count, long cents, boolean fast) {
    }

    /** A reader and a writer made once for the type: the fast way to use Jackson. */
    static <T> Serde<T> json(final Class<T> type) {
        final ObjectReader reader = MAPPER.readerFor(type);
        final ObjectWriter writer = MAPPER.writerFor(type);
        return Serdes.serdeFrom(
            (topic, value) -> {
                try {
                    return value == null ? null : writer.writeValueAsBytes(value);
                } catch (final IOException error) {
                    throw new UncheckedIOException(error);
                }
            },
            (topic, data) -> {
                try {
                    return data == null ? null : reader.readValue(data);
                } catch (final IOException error) {
                    throw new UncheckedIOException(error);
                }
            });
    }

    private Records() {
    }
}
