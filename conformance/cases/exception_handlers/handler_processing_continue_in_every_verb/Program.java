import java.util.List;
import java.util.Properties;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Printed;

/** Each verb that fails drops the record for itself; one bad record may be counted many times. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> stream = builder.stream("in");
        stream.filter(Program::check).foreach((key, value) -> log.add("filter"));
        stream.filterNot(Program::check).foreach((key, value) -> log.add("filter-not"));
        stream.map((key, value) -> KeyValue.pair(key, check(key, value)))
            .foreach((key, value) -> log.add("map"));
        stream.mapValues(Program::check).foreach((key, value) -> log.add("map-values"));
        stream.flatMap((key, value) -> List.of(KeyValue.pair(key, check(key, value))))
            .foreach((key, value) -> log.add("flat-map"));
        stream.flatMapValues((key, value) -> List.of(check(key, value)))
            .foreach((key, value) -> log.add("flat-map-values"));
        stream.selectKey(Program::check).foreach((key, value) -> log.add("select-key"));
        stream.peek(Program::check).foreach((key, value) -> log.add("peek"));
        stream.split(Named.as("split-")).branch(Program::check).defaultBranch().get("split-0")
            .foreach((key, value) -> log.add("split"));
        stream.foreach(Program::check);
        stream.print(Printed.<String, String>toSysOut()
            .withKeyValueMapper((key, value) -> String.valueOf(check(key, value))));
        return builder.build();
    }

    static boolean check(String key, String value) {
        if (value.equals("bad")) {
            throw new IllegalArgumentException("this is bad");
        }
        return false;
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
