import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The twin of `word_counts.py`: counts words behind a repartition topic, until its standard input ends. With "half" it
 * writes the repartition topic and cannot read it, so that it fails and leaves that half of the work to another.
 */
public class WordCounts {

    public static void main(final String[] args) throws Exception {
        final String applicationId = args[1];
        final boolean half = args[4].equals("half");
        final Properties config = new Properties();
        config.put("bootstrap.servers", args[0]);
        config.put("application.id", applicationId);
        config.put("processing.guarantee", args[2]);
        config.put("state.dir", args[3]);
        config.put("statestore.cache.max.bytes", "0");
        config.put("commit.interval.ms", "100");
        config.put("consumer.session.timeout.ms", "6000");
        config.put("consumer.heartbeat.interval.ms", "1000");
        final KafkaStreams streams = new KafkaStreams(topology(applicationId, half), config);
        streams.setUncaughtExceptionHandler(error -> StreamThreadExceptionResponse.SHUTDOWN_CLIENT);
        streams.start();
        while (System.in.read() != -1) {
            // Whoever started it writes nothing, and closes the pipe at the end.
        }
        streams.close(CloseOptions.timeout(Duration.ofSeconds(30))
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }

    private static org.apache.kafka.streams.Topology topology(final String applicationId, final boolean half) {
        final Serde<String> text = Serdes.String();
        final Serde<String> unreadable = Serdes.serdeFrom(text.serializer(), (topic, data) -> {
            throw new IllegalStateException("this half is for another");
        });
        final StreamsBuilder builder = new StreamsBuilder();
        builder.stream(applicationId + "-in", Consumed.with(text, text))
            .groupBy((key, word) -> word, Grouped.with("by-word", text, half ? unreadable : text))
            .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts")
                .withKeySerde(text).withValueSerde(Serdes.Long()))
            .toStream()
            .to(applicationId + "-out", Produced.with(text, Serdes.Long()));
        return builder.build();
    }
}
