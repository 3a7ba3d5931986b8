import org.apache.kafka.streams.Topology;

/** A sink cannot be its own parent. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addSink("sink", "out", "sink");
        return result;
    }
}
