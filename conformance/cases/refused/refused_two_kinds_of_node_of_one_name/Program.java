import org.apache.kafka.streams.Topology;

/** A sink cannot have the name of a source. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("same", "in");
        result.addSink("same", "out", "same");
        return result;
    }
}
