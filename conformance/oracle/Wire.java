import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * How bytes are written in the case files. In: a string is UTF-8, null is null, {"hex"|"int"|"long"|"double": x} is
 * big-endian. Out: UTF-8 without control characters is a string, anything else is {"hex": x}.
 */
final class Wire {
    static final ObjectMapper JSON = new ObjectMapper();

    /** Their values differ between languages, and between two runs of the same one. */
    private static final Set<String> MASKED_HEADERS =
        Set.of("__streams.errors.exception", "__streams.errors.stacktrace");

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Wire() {}

    static byte[] bytes(final JsonNode node) {
        if (node == null || node.isNull()) {
            return null;
        }
        if (node.isTextual()) {
            return node.textValue().getBytes(StandardCharsets.UTF_8);
        }
        if (node.isObject() && node.size() == 1) {
            final String kind = node.fieldNames().next();
            final JsonNode value = node.get(kind);
            switch (kind) {
                case "hex":
                    return HexFormat.of().parseHex(value.textValue());
                case "int":
                    return ByteBuffer.allocate(Integer.BYTES).putInt(value.intValue()).array();
                case "long":
                    return ByteBuffer.allocate(Long.BYTES).putLong(value.longValue()).array();
                case "double":
                    return ByteBuffer.allocate(Double.BYTES).putDouble(value.doubleValue()).array();
                default:
            }
        }
        throw new IllegalArgumentException(
            "a key or value must be a string, null or one of {\"hex\"}, {\"int\"}, {\"long\"}, {\"double\"}; got " + node);
    }

    static Headers headers(final JsonNode node) {
        final RecordHeaders headers = new RecordHeaders();
        if (node != null) {
            node.forEach(pair -> headers.add(pair.get(0).textValue(), bytes(pair.get(1))));
        }
        return headers;
    }

    static JsonNode json(final byte[] data) {
        if (data == null) {
            return NODES.nullNode();
        }
        try {
            final String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
            if (text.codePoints().noneMatch(Character::isISOControl)) {
                return NODES.textNode(text);
            }
        } catch (final CharacterCodingException notText) {
            // It is written as hex below.
        }
        return NODES.objectNode().put("hex", HexFormat.of().formatHex(data));
    }

    static ArrayNode json(final Headers headers) {
        final ArrayNode pairs = NODES.arrayNode();
        for (final Header header : headers) {
            final JsonNode value =
                MASKED_HEADERS.contains(header.key()) ? NODES.textNode("*") : json(header.value());
            pairs.add(NODES.arrayNode().add(header.key()).add(value));
        }
        return pairs;
    }
}
