import org.apache.kafka.streams.Topology;

/** Two sources of the low-level topology cannot read the same topic. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("one", "in", "first");
        result.addSource("two", "second", "in");
        return result;
    }
}
