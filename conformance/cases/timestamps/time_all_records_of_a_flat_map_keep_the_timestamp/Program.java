import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Repartitioned;

/** Every record that comes from one record has its timestamp, also behind a repartition. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in")
            .flatMap((key, value) -> Stream.of(value.split(""))
                .map(letter -> KeyValue.pair(letter, value)).collect(Collectors.toList()))
            .repartition(Repartitioned.as("letters"))
            .flatMapValues(value -> List.of(value, new StringBuilder(value).reverse().toString()))
            .to("out");
        return builder.build();
    }
}
