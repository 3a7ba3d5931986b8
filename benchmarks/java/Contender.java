import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

/**
 * Java Kafka Streams with two threads. Arguments: workload, bootstrap servers, application id, guarantee, state
 * directory, target, sources with commas between, then settings as key=value, which the harness chooses.
 */
public final class Contender {
    public static void main(final String[] args) throws InterruptedException {
        final Properties config = new Properties();
        config.putAll(Map.of(
            "bootstrap.servers", args[1],
            "application.id", args[2],
            "processing.guarantee", args[3],
            "state.dir", args[4],
            "num.stream.threads", "2",
            "consumer.auto.offset.reset", "earliest"));
        for (final String setting : List.of(args).subList(7, args.length)) {
            final String[] parts = setting.split("=", 2);
            config.put(parts[0], parts[1]);
        }
        final StreamsBuilder builder = new StreamsBuilder();
        Topologies.ALL.get(args[0]).draw(builder, List.of(args[6].split(",")), args[5]);
        final KafkaStreams streams = new KafkaStreams(builder.build(), config);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(30))));
        streams.start();
        Thread.currentThread().join();
    }

    private Contender() {
    }
}
