import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.KeyValueStore;

/** The rival: decode JSON, filter, count per key, write the counts. Two threads, tuned as a careful user would. */
public class CountApp {
    static final ObjectMapper MAPPER = new ObjectMapper();

    record Order(String user, double amount, long sent) {
    }

    static Serde<Order> orders() {
        final Serializer<Order> serializer = (topic, order) -> {
            throw new UnsupportedOperationException();
        };
        final Deserializer<Order> deserializer = (topic, data) -> {
            try {
                final JsonNode node = MAPPER.readTree(data);
                return new Order(node.get("user").asText(), node.get("amount").asDouble(), node.get("sent").asLong());
            } catch (final Exception error) {
                throw new RuntimeException(error);
            }
        };
        return Serdes.serdeFrom(serializer, deserializer);
    }

    public static void main(final String[] args) throws Exception {
        final Properties config = new Properties();
        config.put("bootstrap.servers", args[0]);
        config.put("application.id", args[1]);
        config.put("processing.guarantee", args[4]);
        config.put("state.dir", args[5]);
        config.put("num.stream.threads", "2");
        config.put("commit.interval.ms", "100");
        config.put("producer.linger.ms", "5");
        config.put("consumer.auto.offset.reset", "earliest");
        final StreamsBuilder builder = new StreamsBuilder();
        builder.stream(args[2], Consumed.with(Serdes.String(), orders()))
            .filter((key, order) -> order.amount() > 0)
            .groupByKey(Grouped.with(Serdes.String(), orders()))
            .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts")
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
            .toStream()
            .to(args[3], Produced.with(Serdes.String(), Serdes.Long()));
        final KafkaStreams streams = new KafkaStreams(builder.build(), config);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
        streams.start();
        Thread.currentThread().join();
    }
}
