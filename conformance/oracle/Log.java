/** Where a program says what it saw: each line is compared with what the Python twin says in the same step. */
@FunctionalInterface
public interface Log {
    void add(String line);
}
