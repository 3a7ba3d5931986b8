import org.apache.kafka.streams.Topology;

/** A source must have a topic. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", new String[0]);
        return result;
    }
}
