/* The records of one partition, one after the other: what stretch.py does in Python otherwise.

   The next record is decoded before the one before it is processed, as there. Where serdes and
   times allow, it is decoded here; whatever is unusual, a bad value, a serde or an extractor of the
   user, is left to the queue itself (record_queue.py). */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <time.h>

#include "slots.h"

enum { HEAD_TIMESTAMP, HEAD_KEY, HEAD_VALUE, HEAD_RAW, HEAD_SIZE };
enum { RAW_OFFSET, RAW_TIMESTAMP, RAW_KEY, RAW_VALUE, RAW_HEADERS, RAW_SIZE };

#define NAMES(_) \
    _(advance) _(decoders) _(head) _(partition_time) _(process) _(processed) _(raws) \
    _(stream_time_ms)

#define DECLARE(name) static PyObject *name_##name;
NAMES(DECLARE)

static Slot raw_in_hand, stream_time; /* of the position */

static PyObject *decode_text; /* bytes.decode */
static PyObject *skipped; /* record_queue.SKIPPED */
static PyObject *name_popleft, *name_appendleft;

/* The head of a queue: in Python a tuple, which nobody sees while records go by. */
typedef struct {
    PyObject *fields[HEAD_SIZE]; /* NULL at the end */
    long long time;
} Head;

typedef struct {
    PyObject *queue;
    PyObject *raws;    /* a deque */
    PyObject *popleft; /* of it */
    PyObject *decode_key, *decode_value; /* NULL if the queue decodes itself */
    Head head;
    PyObject *partition_time; /* NULL if it is the queue's still */
} Stretch;

static int read_long(PyObject *object, PyObject *name, long long *number) {
    PyObject *value = PyObject_GetAttr(object, name);
    *number = value == NULL ? -1 : PyLong_AsLongLong(value);
    Py_XDECREF(value);
    return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

static void let_go(Head *head) {
    for (int field = 0; field < HEAD_SIZE; field++)
        Py_CLEAR(head->fields[field]);
}

/* Take the head over that the queue has. */
static int take_head(Stretch *stretch) {
    PyObject *tuple = PyObject_GetAttr(stretch->queue, name_head);
    if (tuple == NULL)
        return -1;
    let_go(&stretch->head);
    int failed = 0;
    if (tuple != Py_None) {
        failed = !PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != HEAD_SIZE;
        if (failed)
            PyErr_SetString(PyExc_TypeError, "a head is (timestamp, key, value, raw)");
        for (int field = 0; !failed && field < HEAD_SIZE; field++)
            stretch->head.fields[field] = Py_NewRef(PyTuple_GET_ITEM(tuple, field));
        stretch->head.time = failed ? -1 : PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, 0));
        failed = failed || PyErr_Occurred() != NULL;
    }
    Py_DECREF(tuple);
    return failed ? -1 : 0;
}

static PyObject *tuple_of(Head *head) {
    if (head->fields[0] == NULL)
        return Py_NewRef(Py_None);
    PyObject *tuple = PyTuple_New(HEAD_SIZE);
    for (int field = 0; tuple != NULL && field < HEAD_SIZE; field++)
        PyTuple_SET_ITEM(tuple, field, Py_NewRef(head->fields[field]));
    return tuple;
}

static int begin(Stretch *stretch, PyObject *queue) {
    memset(stretch, 0, sizeof(*stretch));
    stretch->queue = queue;
    int has_head = take_head(stretch) == 0;
    stretch->raws = PyObject_GetAttr(queue, name_raws);
    stretch->popleft = stretch->raws ? PyObject_GetAttr(stretch->raws, name_popleft) : NULL;
    PyObject *decoders = PyObject_GetAttr(queue, name_decoders);
    if (decoders != NULL && PyTuple_Check(decoders) && PyTuple_GET_SIZE(decoders) == 2) {
        stretch->decode_key = Py_NewRef(PyTuple_GET_ITEM(decoders, 0));
        stretch->decode_value = Py_NewRef(PyTuple_GET_ITEM(decoders, 1));
    }
    Py_XDECREF(decoders);
    return has_head && stretch->popleft && decoders ? 0 : -1;
}

/* Tell the queue where it stands. */
static int note(Stretch *stretch) {
    PyObject *head = tuple_of(&stretch->head);
    int noted = head != NULL && PyObject_SetAttr(stretch->queue, name_head, head) == 0;
    Py_XDECREF(head);
    if (!noted)
        return -1;
    if (stretch->partition_time == NULL)
        return 0;
    int failed = PyObject_SetAttr(stretch->queue, name_partition_time, stretch->partition_time);
    Py_CLEAR(stretch->partition_time);
    return failed;
}

static void end(Stretch *stretch) {
    Py_CLEAR(stretch->raws);
    Py_CLEAR(stretch->popleft);
    Py_CLEAR(stretch->decode_key);
    Py_CLEAR(stretch->decode_value);
    let_go(&stretch->head);
    Py_CLEAR(stretch->partition_time);
}

static PyObject *decoded(PyObject *decode, PyObject *data) {
    if (data == Py_None)
        return Py_NewRef(data);
    if (decode == decode_text && PyBytes_CheckExact(data)) /* without a call of Python's */
        return PyUnicode_DecodeUTF8(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), NULL);
    return PyObject_CallOneArg(decode, data);
}

/* Make a raw record the head; 0 if it must be looked at more closely. */
static int make_head(Stretch *stretch, PyObject *raw) {
    if (!PyTuple_Check(raw) || PyTuple_GET_SIZE(raw) != RAW_SIZE)
        return 0;
    PyObject *timestamp = PyTuple_GET_ITEM(raw, RAW_TIMESTAMP);
    long long time = PyLong_AsLongLong(timestamp);
    if (time < 0)
        return 0;
    PyObject *key = decoded(stretch->decode_key, PyTuple_GET_ITEM(raw, RAW_KEY));
    if (key == NULL)
        return 0;
    PyObject *value = decoded(stretch->decode_value, PyTuple_GET_ITEM(raw, RAW_VALUE));
    if (value == NULL) {
        Py_DECREF(key);
        return 0;
    }
    let_go(&stretch->head);
    stretch->head = (Head){{Py_NewRef(timestamp), key, value, Py_NewRef(raw)}, time};
    return 1;
}

/* Let the queue find its next head by itself; until it has one, the old one is its head. */
static int advance_plainly(Stretch *stretch) {
    if (note(stretch) < 0)
        return -1;
    PyObject *nothing = PyObject_CallMethodNoArgs(stretch->queue, name_advance);
    if (nothing == NULL)
        return -1;
    Py_DECREF(nothing);
    return take_head(stretch);
}

static int advance(Stretch *stretch) {
    Py_ssize_t left = PyObject_Size(stretch->raws);
    if (left < 0)
        return -1;
    if (left == 0 || stretch->decode_key == NULL)
        return advance_plainly(stretch);
    PyObject *raw = PyObject_CallNoArgs(stretch->popleft);
    if (raw == NULL)
        return -1;
    if (make_head(stretch, raw)) {
        Py_DECREF(raw);
        return 0;
    }
    int is_bad = !PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception);
    if (is_bad)
        PyErr_Clear();
    PyObject *back = is_bad ? PyObject_CallMethodOneArg(stretch->raws, name_appendleft, raw) : NULL;
    Py_DECREF(raw);
    Py_XDECREF(back);
    return back == NULL ? -1 : advance_plainly(stretch);
}

/* Hand what the processing of a record has raised to `fail`, which raises something in turn. */
static void hand_over(Stretch *stretch, PyObject *fail) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback != NULL)
        PyException_SetTraceback(error, traceback);
    note(stretch);
    if (!PyObject_IsInstance(error, PyExc_Exception)) {
        PyErr_Restore(type, error, traceback);
        return;
    }
    PyObject *nothing = PyObject_CallFunctionObjArgs(fail, stretch->queue, error, NULL);
    if (nothing != NULL)
        PyErr_SetString(PyExc_SystemError, "a failure was not raised");
    Py_XDECREF(nothing);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
}

static int count_processed(PyObject *counters, long long processed) {
    long long before;
    if (read_long(counters, name_processed, &before) < 0)
        return -1;
    PyObject *sum = PyLong_FromLongLong(before + processed);
    int failed = sum == NULL ? -1 : PyObject_SetAttr(counters, name_processed, sum);
    Py_XDECREF(sum);
    return failed;
}

/* The clock that time.monotonic() asks. */
#ifdef __APPLE__
#define MONOTONIC CLOCK_UPTIME_RAW
#else
#define MONOTONIC CLOCK_MONOTONIC
#endif

static double monotonic(void) {
    struct timespec now;
    clock_gettime(MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
    long long count, before;
    double deadline;
} Limits;

/* Process records within the limits; give how many, -1 if one of them failed. */
static long long go_through(Stretch *stretch, PyObject *position, PyObject *fail,
                            const Limits *limits, long long *processed) {
    long long partition_time, latest;
    if (read_long(stretch->queue, name_partition_time, &partition_time) < 0 ||
        read_long(position, name_stream_time_ms, &latest) < 0)
        return -1;
    PyObject *process = PyObject_GetAttr(stretch->queue, name_process);
    long long done = 0;
    for (; process != NULL && done < limits->count && stretch->head.fields[0] != NULL; done++) {
        long long time = stretch->head.time;
        if (done > 0 && time >= limits->before)
            break;
        if (done > 0 && monotonic() >= limits->deadline)
            break;
        /* What becomes the head now must not let go of this one. */
        Head head = stretch->head;
        for (int field = 0; field < HEAD_SIZE; field++)
            Py_INCREF(head.fields[field]);
        PyObject *timestamp = head.fields[HEAD_TIMESTAMP], *value = head.fields[HEAD_VALUE];
        PyObject *raw = head.fields[HEAD_RAW];
        int failed = 0;
        if (time > partition_time) {
            partition_time = time;
            Py_XSETREF(stretch->partition_time, Py_NewRef(timestamp));
        }
        if (time > latest) {
            latest = time;
            failed = set_slot(&stream_time, position, timestamp);
        }
        failed = failed || advance(stretch) < 0;
        if (!failed && value != skipped) {
            PyObject *const record[] = {head.fields[HEAD_KEY], value, timestamp,
                                        PyTuple_GET_ITEM(raw, RAW_HEADERS)};
            failed = set_slot(&raw_in_hand, position, raw);
            *processed += 1;
            PyObject *nothing = failed ? NULL : PyObject_Vectorcall(process, record, 4, NULL);
            if (nothing == NULL) {
                failed = 1;
                hand_over(stretch, fail);
            }
            Py_XDECREF(nothing);
        }
        let_go(&head);
        if (failed)
            Py_CLEAR(process);
    }
    int failed = process == NULL;
    Py_XDECREF(process);
    return failed || note(stretch) < 0 ? -1 : done;
}

static PyObject *process_stretch(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    if (size != 7) {
        PyErr_SetString(PyExc_TypeError,
                        "process_stretch(queue, position, counters, fail, count, before, deadline)");
        return NULL;
    }
    int overflow;
    Limits limits = {PyLong_AsLongLong(given[4]), PyLong_AsLongLongAndOverflow(given[5], &overflow),
                     PyFloat_AsDouble(given[6])};
    if (overflow > 0)
        limits.before = PY_LLONG_MAX; /* never */
    if (PyErr_Occurred())
        return NULL;
    Stretch stretch;
    long long processed = 0, done = -1;
    if (begin(&stretch, given[0]) == 0)
        done = go_through(&stretch, given[1], given[3], &limits, &processed);
    end(&stretch);
    if (done < 0) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        count_processed(given[2], processed);
        PyErr_Restore(type, error, traceback);
        return NULL;
    }
    return count_processed(given[2], processed) < 0 ? NULL : PyLong_FromLongLong(done);
}

/* The module */

static PyMethodDef functions[] = {
    {"process_stretch", (PyCFunction)(void (*)(void))process_stretch, METH_FASTCALL,
     "Process the next records of a queue; give how many."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "penstock._engine.fast._stretch",
    .m_doc = "The records of one partition, one after the other.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit__stretch(void) {
#define INTERN(name) \
    if ((name_##name = PyUnicode_InternFromString(#name)) == NULL) \
        return NULL;
    NAMES(INTERN)
    INTERN(popleft)
    INTERN(appendleft)
    stream_time.name = Py_NewRef(name_stream_time_ms);
    raw_in_hand.name = PyUnicode_InternFromString("raw");
    decode_text = PyObject_GetAttrString((PyObject *)&PyBytes_Type, "decode");
    if (raw_in_hand.name == NULL || decode_text == NULL)
        return NULL;
    PyObject *queues = PyImport_ImportModule("penstock._engine.runtime.input.record_queue");
    skipped = queues == NULL ? NULL : PyObject_GetAttrString(queues, "SKIPPED");
    Py_XDECREF(queues);
    return skipped == NULL ? NULL : PyModule_Create(&definition);
}
