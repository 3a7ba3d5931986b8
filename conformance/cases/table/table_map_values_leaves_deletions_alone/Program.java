import org.apache.kafka.streams.StreamsBuilder;

/** A mapper is not asked about deletions; every change is forwarded, equal ones too. */
public class Program extends DslCase {
    protected void build(StreamsBuilder builder, Log log) {
        builder.<String, String>table("in").mapValues((key, value) -> {
            log.add(key + " " + value);
            return key + value;
        }).toStream().to("out");
    }
}
