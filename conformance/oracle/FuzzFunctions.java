import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;

/** The functions that described programs are made of, by name; {@code functions.py} is their twin and says more. */
final class FuzzFunctions {
    private static final int LONGEST = 20;
    private static final long LARGEST = 1000;

    private FuzzFunctions() {}

    /** A function of three. */
    interface Three {
        Object apply(Object first, Object second, Object third);
    }

    static final Map<String, BiFunction<Object, Object, Boolean>> PREDICATES = Map.of(
        "all", (key, value) -> true,
        "none", (key, value) -> false,
        "key_even", (key, value) -> even(key),
        "value_even", (key, value) -> even(value),
        "both_even", (key, value) -> even(key, value),
        "value_given", (key, value) -> value != null,
        "fail", (key, value) -> even(checked(value)));

    static final Map<String, BiFunction<Object, Object, Object>> SELECTORS = Map.of(
        "key", (key, value) -> key,
        "key_text", (key, value) -> cut(text(key)),
        "value", (key, value) -> value == null ? null : cut(text(value)),
        "first", (key, value) -> text(value).isEmpty() ? "" : text(value).substring(0, 1),
        "letter", (key, value) -> letter(value),
        "one", (key, value) -> "one",
        "null_if_even", (key, value) -> even(value) ? null : cut(text(key)),
        "digit", (key, value) -> hashed(value) % 3,
        "fail", (key, value) -> letter(checked(value)));

    static final Map<String, Function<Object, Object>> MAPPERS = Map.of(
        "same", value -> value,
        "star", value -> value == null ? null : cut(text(value) + "*"),
        "text", value -> cut(text(value)),
        "letter", FuzzFunctions::letter,
        "hashed", value -> hashed(value),
        "size", value -> value == null ? null : (Object) (long) text(value).length(),
        "null_if_even", value -> even(value) ? null : value,
        "null", value -> null,
        "fail", value -> checked(value));

    static final Map<String, BiFunction<Object, Object, Object>> KEY_MAPPERS = Map.of(
        "both", (key, value) -> cut(text(key) + "=" + text(value)),
        "both_hashed", (key, value) -> (hashed(key) + hashed(value)) % LARGEST,
        "value", (key, value) -> value,
        "null_if_key_even", (key, value) -> even(key) ? null : value,
        "null_if_both_even", (key, value) -> even(key, value) ? null : value,
        "fail", (key, value) -> checked(value));

    static final Map<String, Function<Object, List<Object>>> EXPANDERS = Map.of(
        "letters", FuzzFunctions::letters,
        "twice", value -> listOf(value, value),
        "odd_only", value -> even(value) ? listOf() : listOf(value));

    static final Map<String, BiFunction<Object, Object, List<Object>>> KEY_EXPANDERS = Map.of(
        "both", (key, value) -> listOf(cut(text(key)), cut(text(value))),
        "twice", (key, value) -> listOf(value, value),
        "odd_only", (key, value) -> even(key, value) ? listOf() : listOf(value));

    static final Map<String, BiFunction<Object, Object, List<KeyValue<Object, Object>>>> PAIR_EXPANDERS = Map.of(
        "letters", (key, value) -> {
            final List<KeyValue<Object, Object>> pairs = new ArrayList<>();
            letters(value).forEach(letter -> pairs.add(KeyValue.pair(letter, value)));
            return pairs;
        },
        "and_null", (key, value) -> List.of(KeyValue.pair(key, value), KeyValue.pair(key, null)),
        "swap", (key, value) -> List.of(KeyValue.pair(cut(text(value)), cut(text(key)))),
        "odd_only", (key, value) -> even(key, value) ? List.of() : List.of(KeyValue.pair(key, value)));

    static final Map<String, BiFunction<Object, Object, Object>> REDUCERS = Map.of(
        "append", (aggregate, value) -> cut(text(aggregate) + text(value)),
        "sum", (aggregate, value) -> sum(aggregate, value),
        "minus", (aggregate, value) -> minus(aggregate, value),
        "strike", (aggregate, value) -> cut(text(aggregate) + "!" + text(value)),
        "latest", (aggregate, value) -> value,
        "first", (aggregate, value) -> aggregate,
        "larger", (aggregate, value) -> hashed(aggregate) >= hashed(value) ? aggregate : value,
        "null_if_even", (aggregate, value) -> even(aggregate, value) ? null : value,
        "fail", (aggregate, value) -> checked(value));

    static final Map<String, Supplier<Object>> INITIALIZERS = Map.of(
        "empty", () -> "",
        "zero", () -> 0L,
        "null", () -> null);

    static final Map<String, Three> AGGREGATORS = Map.of(
        "append", (key, value, aggregate) -> cut(text(aggregate) + text(value)),
        "append_keyed", (key, value, aggregate) -> cut(text(aggregate) + begin(key) + text(value)),
        "append_or_null", (key, value, aggregate) -> fourth(value) ? null : cut(text(aggregate) + text(value)),
        "strike", (key, value, aggregate) -> cut(text(aggregate) + "!" + text(value)),
        "sum", (key, value, aggregate) -> sum(aggregate, value),
        "minus", (key, value, aggregate) -> minus(aggregate, value),
        "sum_or_null", (key, value, aggregate) -> fourth(value) ? null : sum(aggregate, value),
        "append_or_fail", (key, value, aggregate) -> cut(text(aggregate) + text(checked(value))),
        "sum_or_fail", (key, value, aggregate) -> sum(aggregate, checked(value)));

    static final Map<String, Three> MERGERS = Map.of(
        "append", (key, one, other) -> cut(text(one) + "&" + text(other)),
        "sum", (key, one, other) -> sum(one, other));

    static final Map<String, BiFunction<Object, Object, Object>> JOINERS = Map.of(
        "pair", (left, right) -> cut(text(left) + "+" + text(right)),
        "sum", (left, right) -> sum(left, right),
        "pair_or_null", (left, right) -> even(left, right) ? null : cut(text(left) + "+" + text(right)),
        "fail", (left, right) -> cut(text(checked(left)) + "+" + text(checked(right))));

    static final Map<String, Three> KEY_JOINERS = Map.of(
        "keyed", (key, left, right) -> cut(begin(key) + ":" + text(left) + "+" + text(right)));

    static String text(final Object item) {
        if (item == null) {
            return "-";
        }
        if (item instanceof Windowed) {
            final Windowed<?> windowed = (Windowed<?>) item;
            return "[" + text(windowed.key()) + "@" + windowed.window().start() + "/" + windowed.window().end() + "]";
        }
        return item.toString();
    }

    static long hashed(final Object item) {
        long number = 7;
        for (final char character : text(item).toCharArray()) {
            number = (number * 31 + character) % 1009;
        }
        return number;
    }

    private static long number(final Object item) {
        if (item == null) {
            return 0;
        }
        return item instanceof Long ? (Long) item : hashed(item);
    }

    private static Object sum(final Object one, final Object other) {
        return Math.floorMod(number(one) + number(other), LARGEST);
    }

    private static Object minus(final Object one, final Object other) {
        return Math.floorMod(number(one) - number(other), LARGEST);
    }

    private static String cut(final String text) {
        return text.length() <= LONGEST ? text : text.substring(text.length() - LONGEST);
    }

    private static String begin(final Object key) {
        final String text = text(key);
        return text.substring(0, Math.min(3, text.length()));
    }

    private static String letter(final Object value) {
        return "abc".substring((int) (hashed(value) % 3)).substring(0, 1);
    }

    private static List<Object> letters(final Object value) {
        final List<Object> letters = new ArrayList<>();
        for (final char letter : begin(value).toCharArray()) {
            letters.add(String.valueOf(letter));
        }
        return letters;
    }

    private static boolean even(final Object... items) {
        long sum = 0;
        for (final Object item : items) {
            sum += hashed(item);
        }
        return sum % 2 == 0;
    }

    private static boolean fourth(final Object item) {
        return hashed(item) % 4 == 0;
    }

    /** The value, unless it is one that fails. */
    private static Object checked(final Object value) {
        if (fourth(value)) {
            throw new IllegalArgumentException("no " + text(value));
        }
        return value;
    }

    private static List<Object> listOf(final Object... items) {
        final List<Object> list = new ArrayList<>();
        for (final Object item : items) {
            list.add(item);
        }
        return list;
    }
}
