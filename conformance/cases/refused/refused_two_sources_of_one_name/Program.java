import org.apache.kafka.streams.Topology;

/** Two sources cannot have the same name. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("same", "one");
        result.addSource("same", "two");
        return result;
    }
}
