import org.apache.kafka.streams.Topology;

/** A sink must have a parent. */
public class Program implements Case {
    public Topology topology(Log log) {
        Topology result = new Topology();
        result.addSource("source", "in");
        result.addSink("sink", "out");
        return result;
    }
}
