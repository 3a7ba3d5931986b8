import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.GlobalKTable;
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
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TableJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.WindowStore;

/**
 * The twin of `program.py` for Java Kafka Streams: one thread, until SIGTERM. Arguments: bootstrap servers, state
 * directory, application id, guarantee. A stream thread that fails is not replaced: the process ends with code 1, as
 * Penstock's does.
 */
public final class Twin {
    private static final Serde<String> TEXT = Serdes.String();
    private static final Serde<Long> LONG = Serdes.Long();

    public static void main(final String[] args) throws Exception {
        final String app = args[2];
        final Properties config = new Properties();
        config.put("bootstrap.servers", args[0]);
        config.put("state.dir", args[1]);
        config.put("application.id", app);
        config.put("processing.guarantee", args[3]);
        config.put("num.stream.threads", "1");
        config.put("commit.interval.ms", "100");
        config.put("statestore.cache.max.bytes", "0");
        config.put("consumer.auto.offset.reset", "earliest");
        config.put("consumer.session.timeout.ms", "3000");
        config.put("consumer.heartbeat.interval.ms", "500");
        config.put("consumer.max.poll.interval.ms", "30000");
        config.put("producer.transaction.timeout.ms", "5000");
        config.put("replication.factor", "-1");
        config.put("deserialization.exception.handler",
            "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler");
        config.put("errors.dead.letter.queue.topic.name", app + "-dead");
        final KafkaStreams streams = new KafkaStreams(topology(app), config);
        streams.setUncaughtExceptionHandler(error -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
            return null;
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(30))));
        endWithParent();
        streams.start();
        Thread.currentThread().join();
    }

    private static void endWithParent() {
        final ProcessHandle parent = ProcessHandle.current().parent().orElseThrow();
        final Thread watch = new Thread(() -> {
            while (parent.isAlive()) {
                try {
                    Thread.sleep(1000);
                } catch (final InterruptedException stop) {
                    return;
                }
            }
            Runtime.getRuntime().halt(1);
        });
        watch.setDaemon(true);
        watch.start();
    }

    private static Topology topology(final String app) {
        final StreamsBuilder builder = new StreamsBuilder();
        final KStream<String, Long> events = builder.stream(app + "-events", Consumed.with(TEXT, LONG));
        counts(app, events);
        windows(app, events);
        joins(app, builder, events);
        final KTable<String, String> orders = table(app, builder, "orders");
        final KTable<String, String> customers = table(app, builder, "customers");
        orders.join(customers, order -> order.split(":")[0], (order, customer) -> order + " by " + customer,
                TableJoined.as("placed"), kept("placed", TEXT))
            .toStream().to(app + "-orders-out", Produced.with(TEXT, TEXT));
        builder.stream(app + "-blobs", Consumed.with(TEXT, LONG))
            .mapValues(size -> "x".repeat(size.intValue()))
            .to(app + "-blobs-out", Produced.with(TEXT, TEXT));
        return builder.build();
    }

    private static void counts(final String app, final KStream<String, Long> events) {
        final KStream<String, Long> counts = events.groupByKey(Grouped.with("by-key", TEXT, LONG))
            .count(kept("counts", LONG)).toStream();
        counts.to(app + "-counts", Produced.with(TEXT, LONG));
        counts.groupBy((key, count) -> key.substring(0, 1), Grouped.with("letters", TEXT, LONG))
            .count(kept("letters", LONG)).toStream().to(app + "-letters", Produced.with(TEXT, LONG));
    }

    private static void windows(final String app, final KStream<String, Long> events) {
        final KGroupedStream<String, Long> grouped = events.groupByKey(Grouped.with("by-key-too", TEXT, LONG));
        final TimeWindows tumbling = TimeWindows.ofSizeAndGrace(Duration.ofMillis(2000), Duration.ofMillis(1000));
        shown(grouped.windowedBy(tumbling)
            .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("tumbling").withKeySerde(TEXT))
            .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()).withName("closing")))
            .to(app + "-closed", Produced.with(TEXT, TEXT));
        shown(grouped.windowedBy(tumbling).emitStrategy(EmitStrategy.onWindowClose())
            .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("on-close").withKeySerde(TEXT)))
            .to(app + "-final", Produced.with(TEXT, TEXT));
        shown(grouped.windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofMillis(1500), Duration.ofMillis(1000)))
            .count(Materialized.<String, Long, SessionStore<Bytes, byte[]>>as("sessions").withKeySerde(TEXT)))
            .to(app + "-sessions", Produced.with(TEXT, TEXT));
    }

    private static void joins(final String app, final StreamsBuilder builder, final KStream<String, Long> events) {
        final KStream<String, Long> clicks = builder.stream(app + "-clicks", Consumed.with(TEXT, LONG));
        events.join(clicks, (event, click) -> event + "&" + click,
                JoinWindows.ofTimeDifferenceAndGrace(Duration.ofMillis(1000), Duration.ofDays(1)),
                StreamJoined.with(TEXT, LONG, LONG).withStoreName("matches"))
            .to(app + "-matches", Produced.with(TEXT, TEXT));
        final KTable<String, String> profiles = table(app, builder, "profiles");
        profiles.toStream().to(app + "-profiles-out", Produced.with(TEXT, TEXT));
        final GlobalKTable<String, String> plans =
            builder.globalTable(app + "-plans", Consumed.with(TEXT, TEXT), kept("plans", TEXT));
        events.leftJoin(profiles, (event, profile) -> event + "|" + profile, Joined.with(TEXT, LONG, TEXT, "with-profile"))
            .leftJoin(plans, (key, value) -> key.substring(0, 1), (value, plan) -> value + "|" + plan)
            .to(app + "-joined", Produced.with(TEXT, TEXT));
    }

    private static KTable<String, String> table(final String app, final StreamsBuilder builder, final String name) {
        return builder.table(app + "-" + name, Consumed.with(TEXT, TEXT), kept(name, TEXT));
    }

    private static <V> Materialized<String, V, KeyValueStore<Bytes, byte[]>> kept(final String name, final Serde<V> serde) {
        return Materialized.<String, V, KeyValueStore<Bytes, byte[]>>as(name).withKeySerde(TEXT).withValueSerde(serde);
    }

    private static KStream<String, String> shown(final KTable<Windowed<String>, Long> windows) {
        return windows.toStream().map((window, count) -> KeyValue.pair(
            window.key(), window.window().start() + "-" + window.window().end() + "=" + (count == null ? "None" : count)));
    }

    private Twin() {
    }
}
