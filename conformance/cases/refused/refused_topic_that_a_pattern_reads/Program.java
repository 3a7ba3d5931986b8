import java.util.regex.Pattern;
import org.apache.kafka.streams.Topology;

/** A topic cannot be read by name if a pattern reads it. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("pattern", Pattern.compile("in-.*"));
        result.addSource("name", "in-1");
        return result;
    }
}
