/* What is known of the rows of keys, asked and told for each record: what recent_rows.py and
   Rows.of_key do in Python otherwise.

   Here is only what happens nearly always, the key being young and its rows few. Whatever is rare,
   reading from the engine, meeting an old key, forgetting, is left to Python, before anything has
   been changed. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Beyond these, as in recent_rows.py, a key's rows are cut and what is pending is sorted: there. */
enum { LOOKED_THROUGH_MAX = 16, UNSORTED_MAX = 10000 };
enum { TIME_BYTES = 8 };
enum { NEW_TAIL = 2 }; /* a key and a row are known then */

#define NAMES(_) \
    _(_latest) _(_length) _(_old) _(_since) _(_unsorted) _(_young) _(_young_count) _(_young_max) \
    _(clock) _(expired) _(first) _(interval) _(new_tail) _(note) _(observed) _(of_key) _(recent) \
    _(rows)

#define DECLARE(name) static PyObject *name_##name;
NAMES(DECLARE)

static int read_long(PyObject *object, PyObject *name, long long *number) {
    PyObject *value = PyObject_GetAttr(object, name);
    *number = value == NULL ? -1 : PyLong_AsLongLong(value);
    Py_XDECREF(value);
    return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

static int set_to(PyObject *object, PyObject *name, PyObject *value) {
    int failed = value == NULL ? -1 : PyObject_SetAttr(object, name, value);
    Py_XDECREF(value);
    return failed;
}

/* Give an attribute of a type; whoever owns it holds it as long as the caller looks at it. */
static PyObject *borrowed(PyObject *object, PyObject *name, PyTypeObject *type) {
    PyObject *value = PyObject_GetAttr(object, name);
    Py_XDECREF(value);
    if (value == NULL || Py_IS_TYPE(value, type))
        return value;
    PyErr_Format(PyExc_TypeError, "%U is no %s", name, type->tp_name);
    return NULL;
}

static void pack(char *bytes, long long number) {
    unsigned long long left = (unsigned long long)number;
    for (int at = TIME_BYTES - 1; at >= 0; at--, left >>= 8)
        bytes[at] = (char)(left & 0xff);
}

static int is_less(PyObject *one, PyObject *other) {
    Py_ssize_t length = PyBytes_GET_SIZE(one), of_other = PyBytes_GET_SIZE(other);
    int order = memcmp(PyBytes_AS_STRING(one), PyBytes_AS_STRING(other),
                       length < of_other ? length : of_other);
    return order < 0 || (order == 0 && length < of_other);
}

/* The rows of a key between two times */

typedef struct {
    PyObject *young, *old, *since; /* of the RecentRows */
    PyObject *raw_key;
    char start[TIME_BYTES], end[TIME_BYTES]; /* the first time, and the one behind the last */
} Question;

enum { FAILED = -1, RARE, FOUND };

/* Append the rows of a tail to `found`, in order. */
static int append_rows(Question *question, PyObject *rows, Py_ssize_t at, PyObject *found) {
    PyObject *keys[LOOKED_THROUGH_MAX], *values[LOOKED_THROUGH_MAX];
    int count = 0;
    Py_ssize_t position = 0;
    PyObject *row_key, *row;
    while (PyDict_Next(rows, &position, &row_key, &row)) {
        if (!PyBytes_CheckExact(row_key) || PyBytes_GET_SIZE(row_key) < at + TIME_BYTES)
            return RARE;
        const char *time = PyBytes_AS_STRING(row_key) + at;
        if (memcmp(time, question->start, TIME_BYTES) < 0 ||
            memcmp(time, question->end, TIME_BYTES) >= 0)
            continue;
        int place = count++;
        for (; place > 0 && is_less(row_key, keys[place - 1]); place--) {
            keys[place] = keys[place - 1];
            values[place] = values[place - 1];
        }
        keys[place] = row_key;
        values[place] = row;
    }
    for (int place = 0; place < count; place++) {
        PyObject *pair = PyTuple_Pack(2, keys[place], values[place]);
        int failed = pair == NULL || PyList_Append(found, pair) < 0;
        Py_XDECREF(pair);
        if (failed)
            return FAILED;
    }
    return FOUND;
}

/* Append the rows of one segment. */
static int append_segment(Question *question, long long segment, PyObject *found) {
    Py_ssize_t length = PyBytes_GET_SIZE(question->raw_key), at = TIME_BYTES + length;
    PyObject *prefix = PyBytes_FromStringAndSize(NULL, at);
    if (prefix == NULL)
        return FAILED;
    pack(PyBytes_AS_STRING(prefix), segment);
    memcpy(PyBytes_AS_STRING(prefix) + TIME_BYTES, PyBytes_AS_STRING(question->raw_key), length);
    PyObject *tail = PyDict_GetItemWithError(question->young, prefix);
    int is_old = tail == NULL && !PyErr_Occurred() ? PyDict_Contains(question->old, prefix) : 0;
    int outcome = FAILED;
    if (tail != NULL) {
        PyObject *first = borrowed(tail, name_first, &PyBytes_Type);
        PyObject *rows = first == NULL ? NULL : borrowed(tail, name_rows, &PyDict_Type);
        if (rows != NULL) {
            /* A tail begins at its prefix and a time. */
            Py_ssize_t beyond = PyBytes_GET_SIZE(first) - at;
            const char *time = PyBytes_AS_STRING(first) + at;
            int order = beyond < TIME_BYTES ? 1 : memcmp(time, question->start, TIME_BYTES);
            int begins_later = order > 0 || (order == 0 && beyond > TIME_BYTES);
            outcome = begins_later || PyDict_GET_SIZE(rows) > LOOKED_THROUGH_MAX
                          ? RARE
                          : append_rows(question, rows, at, found);
        }
    } else if (!PyErr_Occurred() && is_old >= 0) {
        int is_known = memcmp(question->start, PyBytes_AS_STRING(question->since), TIME_BYTES) >= 0;
        outcome = is_old || !is_known ? RARE : FOUND;
    }
    Py_DECREF(prefix);
    return outcome;
}

static int answer(PyObject *rows, PyObject *recent, PyObject *const *given, PyObject *found) {
    long long expired, observed, interval;
    long long time_from = PyLong_AsLongLong(given[1]), time_to = PyLong_AsLongLong(given[2]);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return RARE;
    }
    PyObject *clock = PyObject_GetAttr(rows, name_clock);
    int failed = clock == NULL || read_long(clock, name_expired, &expired) < 0 ||
                 read_long(clock, name_observed, &observed) < 0 ||
                 read_long(rows, name_interval, &interval) < 0;
    Py_XDECREF(clock);
    if (failed)
        return FAILED;
    long long first = expired + 1 < time_from ? time_from : expired + 1;
    if (first < 0)
        first = 0;
    long long last = observed <= time_to ? observed : time_to;
    if (first > last)
        return FOUND;
    Question question = {.raw_key = given[0]};
    question.young = borrowed(recent, name__young, &PyDict_Type);
    question.old = question.young == NULL ? NULL : borrowed(recent, name__old, &PyDict_Type);
    question.since = question.old == NULL ? NULL : borrowed(recent, name__since, &PyBytes_Type);
    if (question.since == NULL)
        return FAILED;
    if (!PyBytes_CheckExact(question.raw_key) || PyBytes_GET_SIZE(question.since) != TIME_BYTES ||
        last == PY_LLONG_MAX || interval <= 0)
        return RARE;
    pack(question.start, first);
    pack(question.end, last + 1);
    int outcome = FOUND;
    for (long long segment = first / interval; outcome == FOUND && segment <= last / interval;
         segment++)
        outcome = append_segment(&question, segment, found);
    return outcome;
}

static PyObject *of_key(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    if (size != 4) {
        PyErr_SetString(PyExc_TypeError, "of_key(rows, raw_key, time_from, time_to)");
        return NULL;
    }
    PyObject *recent = PyObject_GetAttr(given[0], name_recent);
    PyObject *found = recent == NULL ? NULL : PyList_New(0);
    int outcome = found == NULL        ? FAILED
                  : recent == Py_None ? RARE
                                      : answer(given[0], recent, given + 1, found);
    Py_XDECREF(recent);
    if (outcome == FOUND)
        return found;
    Py_XDECREF(found);
    return outcome == FAILED ? NULL : PyObject_VectorcallMethod(name_of_key, given, 4, NULL);
}

/* Noting that a row is written */

typedef struct {
    PyObject *recent, *row_key, *row;
    PyObject *young, *unsorted, *latest;
    PyObject *prefix; /* owned */
    const char *time; /* in the row key */
    long long count, most; /* of what is young, and of what may be */
} Note;

/* Make what is noted of a row, but for the tail of its key, true; `more` is by how much that has
   grown. */
static int finish(Note *note, long long more) {
    if (memcmp(note->time, PyBytes_AS_STRING(note->latest), TIME_BYTES) > 0 &&
        set_to(note->recent, name__latest, PyBytes_FromStringAndSize(note->time, TIME_BYTES)) < 0)
        return FAILED;
    PyObject *change = PyTuple_Pack(2, note->row_key, note->row);
    int failed = change == NULL || PyList_Append(note->unsorted, change) < 0;
    Py_XDECREF(change);
    if (!failed && more != 0)
        failed = set_to(note->recent, name__young_count,
                        PyLong_FromLongLong(note->count + more)) < 0;
    return failed ? FAILED : FOUND;
}

static int note_in_tail(Note *note, PyObject *tail) {
    PyObject *first = borrowed(tail, name_first, &PyBytes_Type);
    PyObject *rows = first == NULL ? NULL : borrowed(tail, name_rows, &PyDict_Type);
    if (rows == NULL)
        return FAILED;
    Py_ssize_t before = PyDict_GET_SIZE(rows);
    if (is_less(note->row_key, first) || before >= LOOKED_THROUGH_MAX)
        return RARE;
    if (PyDict_SetItem(rows, note->row_key, note->row) < 0)
        return FAILED;
    return finish(note, PyDict_GET_SIZE(rows) - before);
}

/* The key is new: it has no other row from the time on from which all rows are known. */
static int note_in_new_tail(Note *note) {
    PyObject *old = borrowed(note->recent, name__old, &PyDict_Type);
    PyObject *since = old == NULL ? NULL : borrowed(note->recent, name__since, &PyBytes_Type);
    int is_old = since == NULL ? -1 : PyDict_Contains(old, note->prefix);
    if (is_old < 0)
        return FAILED;
    if (is_old || PyBytes_GET_SIZE(since) != TIME_BYTES ||
        memcmp(note->time, PyBytes_AS_STRING(since), TIME_BYTES) < 0)
        return RARE;
    PyObject *first = Py_NewRef(note->prefix), *rows = PyDict_New(), *tail = NULL;
    PyBytes_Concat(&first, since);
    if (first != NULL && rows != NULL && PyDict_SetItem(rows, note->row_key, note->row) == 0)
        tail = PyObject_CallMethodObjArgs(note->recent, name_new_tail, first, rows, NULL);
    int failed = tail == NULL || PyDict_SetItem(note->young, note->prefix, tail) < 0;
    Py_XDECREF(first);
    Py_XDECREF(rows);
    Py_XDECREF(tail);
    return failed ? FAILED : finish(note, NEW_TAIL);
}

/* Note a row that is put, if its key is young or new and there is room. */
static int note_put(PyObject *recent, PyObject *row_key, PyObject *row) {
    Note note = {.recent = recent, .row_key = row_key, .row = row};
    long long length;
    note.young = borrowed(recent, name__young, &PyDict_Type);
    note.unsorted = note.young == NULL ? NULL : borrowed(recent, name__unsorted, &PyList_Type);
    note.latest = note.unsorted == NULL ? NULL : borrowed(recent, name__latest, &PyBytes_Type);
    if (note.latest == NULL || read_long(recent, name__length, &length) < 0 ||
        read_long(recent, name__young_max, &note.most) < 0 ||
        read_long(recent, name__young_count, &note.count) < 0)
        return FAILED;
    Py_ssize_t at = PyBytes_GET_SIZE(row_key) - (Py_ssize_t)length;
    if (PyList_GET_SIZE(note.unsorted) >= UNSORTED_MAX || note.count + NEW_TAIL > note.most ||
        at < 0 || length < TIME_BYTES || PyBytes_GET_SIZE(note.latest) != TIME_BYTES)
        return RARE;
    note.time = PyBytes_AS_STRING(row_key) + at;
    note.prefix = PyBytes_FromStringAndSize(PyBytes_AS_STRING(row_key), at);
    PyObject *tail = note.prefix == NULL ? NULL : PyDict_GetItemWithError(note.young, note.prefix);
    int outcome = tail != NULL       ? note_in_tail(&note, tail)
                  : PyErr_Occurred() ? FAILED
                                     : note_in_new_tail(&note);
    Py_XDECREF(note.prefix);
    return outcome;
}

static PyObject *note(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    if (size != 3) {
        PyErr_SetString(PyExc_TypeError, "note(recent, row_key, row)");
        return NULL;
    }
    int is_put = PyBytes_CheckExact(given[1]) && given[2] != Py_None;
    switch (is_put ? note_put(given[0], given[1], given[2]) : RARE) {
    case FAILED:
        return NULL;
    case FOUND:
        Py_RETURN_NONE;
    default:
        return PyObject_VectorcallMethod(name_note, given, 3, NULL);
    }
}

/* The module */

static PyMethodDef functions[] = {
    {"of_key", (PyCFunction)(void (*)(void))of_key, METH_FASTCALL,
     "Give the rows of a key between two times."},
    {"note", (PyCFunction)(void (*)(void))note, METH_FASTCALL, "Learn that a row is written."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "penstock._engine.fast._recent",
    .m_doc = "What is known of the rows of keys.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__recent(void) {
#define INTERN(name) \
    if ((name_##name = PyUnicode_InternFromString(#name)) == NULL) \
        return NULL;
    NAMES(INTERN)
    return PyModule_Create(&definition);
}
