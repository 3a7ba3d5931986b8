/* The newest rows of each key, read and written for each record. In Python: recent_rows.py and
   Rows.of_key.

   Here is only what happens nearly always, the key being young and its rows few. The rest, reading
   from the engine, meeting an old key, forgetting, is left to Python, before anything has been
   changed. */

#include "fields.h"

/* Beyond these, as in recent_rows.py, a key's rows are cut and what is pending is sorted: there. */
enum { LOOKED_THROUGH_MAX = 16, UNSORTED_MAX = 10000 };
enum { NEW_TAIL = 2 }; /* a key and a row are known then */

static PyObject *name_note, *name_of_key;

static int is_less(PyObject *one, PyObject *other) {
    Py_ssize_t length = PyBytes_GET_SIZE(one), of_other = PyBytes_GET_SIZE(other);
    int order = memcmp(PyBytes_AS_STRING(one), PyBytes_AS_STRING(other),
                       length < of_other ? length : of_other);
    return order < 0 || (order == 0 && length < of_other);
}

/* A tail: all rows of a segment and key from a row key on */

typedef struct {
    PyObject_HEAD
    PyObject *first, *rows;
} Tail;

static PyTypeObject tail_type;

static PyObject *make_tail(PyTypeObject *type, PyObject *first, PyObject *rows) {
    Tail *tail = (Tail *)type->tp_alloc(type, 0);
    if (tail != NULL) {
        tail->first = Py_NewRef(first);
        tail->rows = Py_NewRef(rows);
    }
    return (PyObject *)tail;
}

static PyObject *new_tail(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", "", NULL};
    PyObject *first, *rows;
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "SO!", names, &first, &PyDict_Type,
                                       &rows)
               ? make_tail(type, first, rows)
               : NULL;
}

static int visit_tail(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((Tail *)self)->rows);
    return 0;
}

static int clear_tail(PyObject *self) {
    Py_CLEAR(((Tail *)self)->first);
    Py_CLEAR(((Tail *)self)->rows);
    return 0;
}

static PyMemberDef tail_members[] = {
    {"first", T_OBJECT_EX, offsetof(Tail, first), 0, NULL},
    {"rows", T_OBJECT_EX, offsetof(Tail, rows), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject tail_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.Tail",
    .tp_doc = "All rows of a segment and key from a row key on.",
    .tp_basicsize = sizeof(Tail),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_tail,
    .tp_dealloc = free_collected,
    .tp_traverse = visit_tail,
    .tp_clear = clear_tail,
    .tp_members = tail_members,
};

/* What RecentRows knows: its class inherits from this one */

typedef struct {
    PyObject_HEAD
    PyObject *young, *old, *unsorted, *since, *latest;
    long long young_count, young_max;
    Py_ssize_t length;
} KnownRows;

static int visit_known(PyObject *self, visitproc visit, void *arg) {
    KnownRows *known = (KnownRows *)self;
    Py_VISIT(known->young);
    Py_VISIT(known->old);
    Py_VISIT(known->unsorted);
    return 0;
}

static int clear_known(PyObject *self) {
    KnownRows *known = (KnownRows *)self;
    Py_CLEAR(known->young);
    Py_CLEAR(known->old);
    Py_CLEAR(known->unsorted);
    Py_CLEAR(known->since);
    Py_CLEAR(known->latest);
    return 0;
}

static void free_known(PyObject *self) {
    PyObject_GC_UnTrack(self);
    clear_known(self);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef known_members[] = {
    {"young", T_OBJECT_EX, offsetof(KnownRows, young), 0, NULL},
    {"old", T_OBJECT_EX, offsetof(KnownRows, old), 0, NULL},
    {"unsorted", T_OBJECT_EX, offsetof(KnownRows, unsorted), 0, NULL},
    {"since", T_OBJECT_EX, offsetof(KnownRows, since), 0, NULL},
    {"latest", T_OBJECT_EX, offsetof(KnownRows, latest), 0, NULL},
    {"young_count", T_LONGLONG, offsetof(KnownRows, young_count), 0, NULL},
    {"young_max", T_LONGLONG, offsetof(KnownRows, young_max), 0, NULL},
    {"length", T_PYSSIZET, offsetof(KnownRows, length), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject known_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.KnownRows",
    .tp_doc = "What RecentRows knows.",
    .tp_basicsize = sizeof(KnownRows),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = free_known,
    .tp_traverse = visit_known,
    .tp_clear = clear_known,
    .tp_members = known_members,
};

static int is_time(PyObject *bytes) {
    return bytes != NULL && PyBytes_CheckExact(bytes) && PyBytes_GET_SIZE(bytes) == LONG_BYTES;
}

/* Yes if Python has set all fields as it must: else it looks itself. */
static int is_known(PyObject *recent) {
    if (!PyObject_TypeCheck(recent, &known_type))
        return 0;
    KnownRows *known = (KnownRows *)recent;
    return known->young != NULL && PyDict_CheckExact(known->young) && known->old != NULL &&
           PyDict_CheckExact(known->old) && known->unsorted != NULL &&
           PyList_CheckExact(known->unsorted) && is_time(known->since) && is_time(known->latest);
}

/* Return the tail of a young key; NULL if there is none, with an error set if it is no tail. */
static Tail *find_young(KnownRows *known, PyObject *prefix) {
    PyObject *found = PyDict_GetItemWithError(known->young, prefix);
    if (found == NULL)
        return NULL;
    Tail *tail = (Tail *)found;
    if (!Py_IS_TYPE(found, &tail_type) || tail->first == NULL || tail->rows == NULL ||
        !PyBytes_CheckExact(tail->first) || !PyDict_CheckExact(tail->rows)) {
        PyErr_SetString(PyExc_TypeError, "a tail is a row key and a dict");
        return NULL;
    }
    return tail;
}

/* The rows of a key between two times */

typedef struct {
    KnownRows *known;
    PyObject *raw_key;
    char start[LONG_BYTES], end[LONG_BYTES]; /* the first time, and the one behind the last */
} Question;

enum { FAILED = -1, RARE, FOUND };

/* Append the rows of a tail to `found`, in order. They are owned, since the collector may run. */
static int append_rows(Question *question, PyObject *rows, Py_ssize_t at, PyObject *found) {
    PyObject *keys[LOOKED_THROUGH_MAX], *values[LOOKED_THROUGH_MAX];
    int count = 0, outcome = FOUND;
    Py_ssize_t position = 0;
    PyObject *row_key, *row;
    while (PyDict_Next(rows, &position, &row_key, &row)) {
        if (!PyBytes_CheckExact(row_key) || PyBytes_GET_SIZE(row_key) < at + LONG_BYTES) {
            outcome = RARE;
            break;
        }
        const char *time = PyBytes_AS_STRING(row_key) + at;
        if (memcmp(time, question->start, LONG_BYTES) < 0 ||
            memcmp(time, question->end, LONG_BYTES) >= 0)
            continue;
        int place = count++;
        for (; place > 0 && is_less(row_key, keys[place - 1]); place--) {
            keys[place] = keys[place - 1];
            values[place] = values[place - 1];
        }
        keys[place] = Py_NewRef(row_key);
        values[place] = Py_NewRef(row);
    }
    for (int place = 0; place < count; place++) {
        PyObject *pair = outcome == FOUND ? PyTuple_Pack(2, keys[place], values[place]) : NULL;
        if (outcome == FOUND && (pair == NULL || PyList_Append(found, pair) < 0))
            outcome = FAILED;
        Py_XDECREF(pair);
        Py_DECREF(keys[place]);
        Py_DECREF(values[place]);
    }
    return outcome;
}

/* Append the rows of one segment. */
static int append_segment(Question *question, long long segment, PyObject *found) {
    KnownRows *known = question->known;
    if (!is_known((PyObject *)known)) /* for each segment: the collector may have run */
        return RARE;
    Py_ssize_t length = PyBytes_GET_SIZE(question->raw_key), at = LONG_BYTES + length;
    PyObject *prefix = PyBytes_FromStringAndSize(NULL, at);
    if (prefix == NULL)
        return FAILED;
    write_long(PyBytes_AS_STRING(prefix), segment);
    memcpy(PyBytes_AS_STRING(prefix) + LONG_BYTES, PyBytes_AS_STRING(question->raw_key), length);
    Tail *tail = find_young(known, prefix);
    int is_old = tail == NULL && !PyErr_Occurred() ? PyDict_Contains(known->old, prefix) : 0;
    int outcome = FAILED;
    if (tail != NULL) {
        /* A tail begins at its prefix and a time. */
        Py_ssize_t beyond = PyBytes_GET_SIZE(tail->first) - at;
        const char *time = PyBytes_AS_STRING(tail->first) + at;
        int order = beyond < LONG_BYTES ? 1 : memcmp(time, question->start, LONG_BYTES);
        int begins_later = order > 0 || (order == 0 && beyond > LONG_BYTES);
        outcome = begins_later || PyDict_GET_SIZE(tail->rows) > LOOKED_THROUGH_MAX
                      ? RARE
                      : append_rows(question, tail->rows, at, found);
    } else if (!PyErr_Occurred() && is_old >= 0) {
        int all_known = memcmp(question->start, PyBytes_AS_STRING(known->since), LONG_BYTES) >= 0;
        outcome = is_old || !all_known ? RARE : FOUND;
    }
    Py_DECREF(prefix);
    return outcome;
}

static int answer(RowFields *rows, PyObject *recent, PyObject *const *given, PyObject *found) {
    long long expired, observed, interval;
    long long time_from = PyLong_AsLongLong(given[1]);
    long long time_to = PyErr_Occurred() ? -1 : PyLong_AsLongLong(given[2]);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return RARE;
    }
    ClockFields *clock = (ClockFields *)rows->clock;
    if (clock == NULL || !PyObject_TypeCheck((PyObject *)clock, &clock_fields_type)) {
        PyErr_SetString(PyExc_TypeError, "rows have a clock");
        return FAILED;
    }
    Py_INCREF(clock);
    int failed = get_long(&clock->expired, &expired) < 0 ||
                 get_long(&clock->observed, &observed) < 0 ||
                 get_long(&rows->interval, &interval) < 0;
    Py_DECREF(clock);
    if (failed)
        return FAILED;
    if (expired == PY_LLONG_MAX) /* behind the last millisecond there is no row */
        return FOUND;
    long long first = expired + 1 < time_from ? time_from : expired + 1;
    if (first < 0)
        first = 0;
    long long last = observed <= time_to ? observed : time_to;
    if (first > last)
        return FOUND;
    if (!PyObject_TypeCheck(recent, &known_type) || !PyBytes_CheckExact(given[0]) ||
        last == PY_LLONG_MAX || interval <= 0)
        return RARE;
    Question question = {.known = (KnownRows *)recent, .raw_key = given[0]};
    write_long(question.start, first);
    write_long(question.end, last + 1);
    int outcome = FOUND;
    for (long long segment = first / interval; outcome == FOUND && segment <= last / interval;
         segment++)
        outcome = append_segment(&question, segment, found);
    return outcome;
}

static PyObject *of_key(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    if (size != 4 || !PyObject_TypeCheck(given[0], &row_fields_type)) {
        PyErr_SetString(PyExc_TypeError, "of_key(rows, raw_key, time_from, time_to)");
        return NULL;
    }
    RowFields *rows = (RowFields *)given[0];
    PyObject *recent = get_field(&rows->recent);
    PyObject *found = recent == NULL ? NULL : PyList_New(0);
    int outcome = found == NULL        ? FAILED
                  : recent == Py_None ? RARE
                                      : answer(rows, recent, given + 1, found);
    Py_XDECREF(recent);
    if (outcome == FOUND)
        return found;
    Py_XDECREF(found);
    return outcome == FAILED ? NULL : PyObject_VectorcallMethod(name_of_key, given, 4, NULL);
}

/* Noting that a row is written

   What may run the collector comes first, making the change and, for a new key, its tail; what was
   replaced is released last. In between no Python runs: keys are bytes, and no subclass. */

enum { NEW_KEY = FOUND + 1 };

typedef struct {
    KnownRows *known;
    PyObject *row_key, *row;
    PyObject *prefix, *change; /* owned; `change` is what is pending then */
    Tail *spare;               /* owned: an empty tail for a new key, NULL if none is needed yet */
    PyObject *replaced;        /* owned: the row that was there before */
    const char *time;          /* in the row key */
} Note;

/* Note a row, but for the tail of its key, which has grown by `more`. */
static int finish(Note *note, long long more) {
    KnownRows *known = note->known;
    known->young_count += more;
    if (memcmp(note->time, PyBytes_AS_STRING(known->latest), LONG_BYTES) > 0) {
        PyObject *latest = PyBytes_FromStringAndSize(note->time, LONG_BYTES);
        if (latest == NULL)
            return FAILED;
        Py_SETREF(known->latest, latest);
    }
    return PyList_Append(known->unsorted, note->change) < 0 ? FAILED : FOUND;
}

static int note_in_tail(Note *note, Tail *tail) {
    Py_ssize_t before = PyDict_GET_SIZE(tail->rows);
    if (is_less(note->row_key, tail->first) || before >= LOOKED_THROUGH_MAX)
        return RARE;
    PyObject *there = PyDict_SetDefault(tail->rows, note->row_key, note->row);
    if (there == NULL)
        return FAILED;
    if (there != note->row) {
        note->replaced = Py_NewRef(there);
        if (PyDict_SetItem(tail->rows, note->row_key, note->row) < 0)
            return FAILED;
    }
    return finish(note, PyDict_GET_SIZE(tail->rows) - before);
}

/* The key is new: it has no other row from the time on from which all rows are known. */
static int note_in_new_tail(Note *note) {
    KnownRows *known = note->known;
    int is_old = PyDict_Contains(known->old, note->prefix);
    if (is_old < 0)
        return FAILED;
    if (is_old || memcmp(note->time, PyBytes_AS_STRING(known->since), LONG_BYTES) < 0)
        return RARE;
    if (note->spare == NULL)
        return NEW_KEY;
    PyObject *first = Py_NewRef(note->prefix);
    PyBytes_Concat(&first, known->since);
    if (first == NULL)
        return FAILED;
    Py_XSETREF(note->spare->first, first);
    return PyDict_SetItem(note->spare->rows, note->row_key, note->row) < 0 ||
                   PyDict_SetItem(known->young, note->prefix, (PyObject *)note->spare) < 0
               ? FAILED
               : finish(note, NEW_TAIL);
}

/* Note the row, if its key is young or new and there is room. */
static int note_now(Note *note) {
    KnownRows *known = note->known;
    if (!is_known((PyObject *)known))
        return RARE;
    Py_ssize_t size = PyBytes_GET_SIZE(note->row_key);
    if (PyList_GET_SIZE(known->unsorted) >= UNSORTED_MAX || known->young_max < NEW_TAIL ||
        known->young_count > known->young_max - NEW_TAIL || known->length < LONG_BYTES ||
        known->length > size)
        return RARE;
    Py_ssize_t at = size - known->length;
    note->time = PyBytes_AS_STRING(note->row_key) + at;
    Py_XSETREF(note->prefix, PyBytes_FromStringAndSize(PyBytes_AS_STRING(note->row_key), at));
    Tail *tail = note->prefix == NULL ? NULL : find_young(known, note->prefix);
    return tail != NULL       ? note_in_tail(note, tail)
           : PyErr_Occurred() ? FAILED
                              : note_in_new_tail(note);
}

static int note_put(PyObject *recent, PyObject *row_key, PyObject *row) {
    if (!PyObject_TypeCheck(recent, &known_type))
        return RARE;
    Note note = {.known = (KnownRows *)recent, .row_key = row_key, .row = row};
    note.change = PyTuple_Pack(2, row_key, row);
    int outcome = note.change == NULL ? FAILED : note_now(&note);
    if (outcome == NEW_KEY) {
        PyObject *rows = PyDict_New();
        note.spare = rows == NULL ? NULL : (Tail *)make_tail(&tail_type, note.prefix, rows);
        Py_XDECREF(rows);
        outcome = note.spare == NULL ? FAILED : note_now(&note);
    }
    Py_XDECREF(note.change);
    Py_XDECREF(note.spare);
    Py_XDECREF(note.prefix);
    Py_XDECREF(note.replaced);
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
    {"rows_of_key", FAST(of_key), METH_FASTCALL, "Return the rows of a key between two times."},
    {"note_row", FAST(note), METH_FASTCALL, "Note that a row is written, or deleted."},
    {NULL, NULL, 0, NULL},
};

int add_recent_rows(PyObject *module) {
    name_note = PyUnicode_InternFromString("note");
    name_of_key = PyUnicode_InternFromString("of_key");
    if (!name_note || !name_of_key)
        return -1;
    return PyModule_AddFunctions(module, functions) < 0 || PyModule_AddType(module, &tail_type) < 0 ||
                   PyModule_AddType(module, &known_type) < 0
               ? -1
               : 0;
}
