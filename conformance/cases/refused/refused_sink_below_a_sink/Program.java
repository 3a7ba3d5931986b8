import org.apache.kafka.streams.Topology;

/** A sink cannot be below a sink. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addSink("first", "out", "source");
        result.addSink("second", "out", "first");
        return result;
    }
}
