import org.apache.kafka.streams.Topology;

/** A source of the low-level topology cannot list a topic twice. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in", "other", "in");
        return result;
    }
}
