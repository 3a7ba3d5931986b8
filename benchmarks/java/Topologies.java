import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.WindowedSerdes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

/** The workloads: the twins of benchmarks/topologies.py, verb for verb. */
final class Topologies {
    interface Workload {
        void draw(StreamsBuilder builder, List<String> sources, String target);
    }

    static final Map<String, Workload> ALL = Map.of(
        "filter-map", Topologies::filterMap,
        "count", Topologies::count,
        "tumbling", Topologies::tumbling,
        "hopping", Topologies::hopping,
        "session", Topologies::session,
        "table-join", Topologies::tableJoin,
        "stream-join", Topologies::streamJoin,
        "rekey", Topologies::rekey,
        "fraud", Topologies::fraud);

    private static final Serde<String> TEXT = Serdes.String();
    private static final Serde<Long> LONG = Serdes.Long();
    private static final Serde<Records.Order> ORDERS = Records.json(Records.Order.class);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static KStream<String, Records.Order> orders(final StreamsBuilder builder, final String source) {
        return builder.stream(source, Consumed.with(TEXT, ORDERS));
    }

    private static KGroupedStream<String, Records.Order> byUser(final StreamsBuilder builder, final String source) {
        return orders(builder, source).groupByKey(Grouped.with(TEXT, ORDERS));
    }

    static void filterMap(final StreamsBuilder builder, final List<String> sources, final String target) {
        orders(builder, sources.get(0))
            .filter((user, order) -> order.quantity() > 1)
            .mapValues(order -> new Records.Line(order.id(), order.user(), order.cents() * order.quantity()))
            .to(target, Produced.with(TEXT, Records.json(Records.Line.class)));
    }

    static void count(final StreamsBuilder builder, final List<String> sources, final String target) {
        byUser(builder, sources.get(0))
            .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts")
                .withKeySerde(TEXT).withValueSerde(LONG))
            .toStream()
            .to(target, Produced.with(TEXT, LONG));
    }

    static void tumbling(final StreamsBuilder builder, final List<String> sources, final String target) {
        byUser(builder, sources.get(0))
            .windowedBy(TimeWindows.ofSizeAndGrace(MINUTE, GRACE))
            .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("counts")
                .withKeySerde(TEXT).withValueSerde(LONG))
            .toStream()
            .to(target, Produced.with(WindowedSerdes.timeWindowedSerdeFrom(String.class, MINUTE.toMillis()), LONG));
    }

    static void hopping(final StreamsBuilder builder, final List<String> sources, final String target) {
        byUser(builder, sources.get(0))
            .windowedBy(TimeWindows.ofSizeAndGrace(MINUTE, GRACE).advanceBy(Duration.ofSeconds(10)))
            .aggregate(() -> 0L, (user, order, sum) -> sum + order.cents(),
                Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("sums")
                    .withKeySerde(TEXT).withValueSerde(LONG))
            .toStream()
            .to(target, Produced.with(WindowedSerdes.timeWindowedSerdeFrom(String.class, MINUTE.toMillis()), LONG));
    }

    static void session(final StreamsBuilder builder, final List<String> sources, final String target) {
        final Serde<Records.Visit> visits = Records.json(Records.Visit.class);
        byUser(builder, sources.get(0))
            .windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(5), GRACE))
            .aggregate(() -> new Records.Visit(0, 0), (user, order, visit) -> visit.plus(order),
                (user, one, other) -> one.and(other),
                Materialized.<String, Records.Visit, SessionStore<Bytes, byte[]>>as("visits")
                    .withKeySerde(TEXT).withValueSerde(visits))
            .toStream()
            .to(target, Produced.with(WindowedSerdes.sessionWindowedSerdeFrom(String.class), visits));
    }

    static void tableJoin(final StreamsBuilder builder, final List<String> sources, final String target) {
        final Serde<Records.Profile> profiles = Records.json(Records.Profile.class);
        final KTable<String, Records.Profile> table = builder.table(sources.get(1), Consumed.with(TEXT, profiles),
            Materialized.<String, Records.Profile, KeyValueStore<Bytes, byte[]>>as("profiles")
                .withKeySerde(TEXT).withValueSerde(profiles));
        orders(builder, sources.get(0))
            .join(table, (order, profile) -> new Records.Enriched(
                    order.id(), profile.name(), profile.tier(), order.cents() * order.quantity()),
                Joined.with(TEXT, ORDERS, profiles))
            .to(target, Produced.with(TEXT, Records.json(Records.Enriched.class)));
    }

    static void streamJoin(final StreamsBuilder builder, final List<String> sources, final String target) {
        final Serde<Records.Payment> payments = Records.json(Records.Payment.class);
        orders(builder, sources.get(0))
            .join(builder.stream(sources.get(1), Consumed.with(TEXT, payments)),
                (order, payment) -> new Records.Settled(order.id(), payment.method(), order.cents() - payment.cents()),
                JoinWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(30), GRACE),
                StreamJoined.with(TEXT, ORDERS, payments).withStoreName("waiting"))
            .to(target, Produced.with(TEXT, Records.json(Records.Settled.class)));
    }

    static void rekey(final StreamsBuilder builder, final List<String> sources, final String target) {
        orders(builder, sources.get(0))
            .groupBy((user, order) -> order.product(), Grouped.<String, Records.Order>as("by-product")
                .withKeySerde(TEXT).withValueSerde(ORDERS))
            .aggregate(() -> 0L, (product, order, sum) -> sum + order.cents(),
                Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("sales")
                    .withKeySerde(TEXT).withValueSerde(LONG))
            .toStream()
            .to(target, Produced.with(TEXT, LONG));
    }

    static void fraud(final StreamsBuilder builder, final List<String> sources, final String target) {
        orders(builder, sources.get(0))
            .filter((card, order) -> order.cents() > 0)
            .groupByKey(Grouped.with(TEXT, ORDERS))
            .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofMinutes(5), Duration.ofSeconds(30)))
            .aggregate(Records.Card::empty, (card, order, state) -> state.plus(order),
                Materialized.<String, Records.Card, WindowStore<Bytes, byte[]>>as("cards")
                    .withKeySerde(TEXT).withValueSerde(Records.json(Records.Card.class)))
            .toStream()
            .filter((window, state) -> state.suspicious())
            .map((window, state) -> KeyValue.pair(window.key() + "@" + window.window().start(), new Records.Alert(
                window.key(), window.window().start(), state.count(), state.cents(), state.fast())))
            .to(target, Produced.with(TEXT, Records.json(Records.Alert.class)));
    }

    private Topologies() {
    }
}
