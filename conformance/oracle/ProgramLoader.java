import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles each {@code Program.java} in memory, into a class loader of its own: all of them are called Program. One
 * file manager serves them all, because opening the jars is most of what a small compilation costs.
 */
final class ProgramLoader implements AutoCloseable {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files;

    ProgramLoader() {
        if (compiler == null) {
            throw new IllegalStateException("this Java has no compiler; install a JDK (not a JRE), version 17 or later");
        }
        files = compiler.getStandardFileManager(null, null, null);
    }

    Case load(final Path source) throws CompilationFailed, ReflectiveOperationException {
        final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        final ClassesInMemory classes = new ClassesInMemory(files);
        final List<String> options = List.of(
            "-encoding", "UTF-8", "-proc:none", "-nowarn", "-classpath", System.getProperty("java.class.path"));
        final boolean compiled = compiler
            .getTask(null, classes, diagnostics, options, null, files.getJavaFileObjects(source))
            .call();
        if (!compiled) {
            throw new CompilationFailed(diagnostics.getDiagnostics());
        }
        return (Case) classes.loader().loadClass("Program").getDeclaredConstructor().newInstance();
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    /** The compiler's complaints, one to a line. */
    static final class CompilationFailed extends Exception {
        private static final long serialVersionUID = 1L;

        CompilationFailed(final List<? extends Diagnostic<? extends JavaFileObject>> diagnostics) {
            super(describe(diagnostics));
        }

        private static String describe(final List<? extends Diagnostic<? extends JavaFileObject>> diagnostics) {
            final StringBuilder text = new StringBuilder("Program.java does not compile");
            for (final Diagnostic<? extends JavaFileObject> diagnostic : diagnostics) {
                if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                    text.append("\n    line ").append(diagnostic.getLineNumber()).append(": ")
                        .append(diagnostic.getMessage(null).replace("\n", "\n      "));
                }
            }
            return text.toString();
        }
    }

    private static final class ClassesInMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        ClassesInMemory(final JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
            final Location location, final String name, final Kind kind, final FileObject sibling) {
            final URI uri = URI.create("memory:///" + name.replace('.', '/') + kind.extension);
            return new SimpleJavaFileObject(uri, kind) {
                @Override
                public OutputStream openOutputStream() {
                    return classes.computeIfAbsent(name, ignored -> new ByteArrayOutputStream());
                }
            };
        }

        ClassLoader loader() {
            return new ClassLoader(Case.class.getClassLoader()) {
                @Override
                protected Class<?> findClass(final String name) throws ClassNotFoundException {
                    final ByteArrayOutputStream bytes = classes.get(name);
                    if (bytes == null) {
                        throw new ClassNotFoundException(name);
                    }
                    return defineClass(name, bytes.toByteArray(), 0, bytes.size());
                }
            };
        }
    }
}
