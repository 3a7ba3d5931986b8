import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.Topology;

/** A conformance program: what {@code Program.java} of each case implements. */
public interface Case {
    /** Builds the topology; what it adds to {@code log} becomes part of the expectation. */
    Topology topology(Log log) throws Exception;

    /** Changes the configuration that every case starts from; keys are Kafka's. */
    default void configure(Properties config) {}

    /** Tells a program, before anything else, in which folder it stands; some have their say in a file beside them. */
    default void standIn(Path folder) throws IOException {}
}
