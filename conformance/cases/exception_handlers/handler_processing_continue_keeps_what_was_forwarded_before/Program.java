import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;

/** What a verb forwarded before it failed stays forwarded. */
public class Program implements Case {
    public Topology topology(Log log) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("in").flatMapValues(Program::letters).to("out");
        return builder.build();
    }

    static Iterable<String> letters(String value) {
        return () -> Stream.of(value.split("")).map(letter -> {
            if (letter.equals("!")) {
                throw new IllegalArgumentException("no letter");
            }
            return letter;
        }).iterator();
    }

    public void configure(Properties config) {
        config.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class);
    }
}
