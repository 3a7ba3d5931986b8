import java.util.regex.Pattern;
import org.apache.kafka.streams.Topology;

/** A pattern cannot match a topic that is read by name. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("name", "in-1");
        result.addSource("pattern", Pattern.compile("in-.*"));
        return result;
    }
}
