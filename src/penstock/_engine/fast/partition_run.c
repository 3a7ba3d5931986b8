/* The records of one partition, one after the other. In Python: partition_run.py.

   The next record is decoded before the one before it is processed, as there. Where serdes and
   times allow, it is decoded here; anything unusual, a bad value, a serde or an extractor of the
   user, is left to the queue itself (record_queue.py). */

#include "clock.h"
#include "fields.h"

enum { HEAD_TIMESTAMP, HEAD_KEY, HEAD_VALUE, HEAD_RAW, HEAD_SIZE };
enum { RAW_OFFSET, RAW_TIMESTAMP, RAW_KEY, RAW_VALUE, RAW_HEADERS, RAW_SIZE };

static PyObject *decode_text; /* bytes.decode */
static PyObject *name_advance, *name_popleft, *name_appendleft, *name_processed;

/* The head of a queue: in Python a tuple, which is not made while records go by. */
typedef struct {
    PyObject *fields[HEAD_SIZE]; /* NULL at the end */
    long long time;
} Head;

typedef struct {
    QueueFields *queue;
    PyObject *raws;    /* a deque */
    PyObject *popleft; /* of it */
    PyObject *decode_key, *decode_value; /* NULL if the queue decodes itself */
    Head head;
    PyObject *partition_time; /* NULL if the queue's own is true */
    PyObject *skipped;        /* the value of a head that stands for skipped records */
} Run;

static void release(Head *head) {
    for (int field = 0; field < HEAD_SIZE; field++)
        Py_CLEAR(head->fields[field]);
}

/* Take over the head that the queue has. */
static int take_head(Run *run) {
    PyObject *tuple = get_field(&run->queue->head);
    if (tuple == NULL)
        return -1;
    release(&run->head);
    int failed = 0;
    if (tuple != Py_None) {
        failed = !PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != HEAD_SIZE;
        if (failed)
            PyErr_SetString(PyExc_TypeError, "a head is (timestamp, key, value, raw)");
        for (int field = 0; !failed && field < HEAD_SIZE; field++)
            run->head.fields[field] = Py_NewRef(PyTuple_GET_ITEM(tuple, field));
        run->head.time = failed ? -1 : PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, 0));
        failed = failed || PyErr_Occurred() != NULL;
    }
    Py_DECREF(tuple);
    PyObject *raw = run->head.fields[HEAD_RAW]; /* where headers are read */
    if (!failed && raw != NULL && (!PyTuple_Check(raw) || PyTuple_GET_SIZE(raw) != RAW_SIZE)) {
        failed = 1;
        PyErr_SetString(PyExc_TypeError, "a raw record is a tuple of five");
    }
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

static int begin(Run *run, QueueFields *queue, PyObject *skipped) {
    memset(run, 0, sizeof(*run));
    run->queue = queue;
    run->skipped = skipped;
    int has_head = take_head(run) == 0;
    run->raws = has_head ? get_field(&queue->raws) : NULL;
    run->popleft = run->raws ? PyObject_GetAttr(run->raws, name_popleft) : NULL;
    PyObject *decoders = run->popleft ? get_field(&queue->decoders) : NULL;
    if (decoders != NULL && PyTuple_Check(decoders) && PyTuple_GET_SIZE(decoders) == 2) {
        run->decode_key = Py_NewRef(PyTuple_GET_ITEM(decoders, 0));
        run->decode_value = Py_NewRef(PyTuple_GET_ITEM(decoders, 1));
    }
    Py_XDECREF(decoders);
    return decoders ? 0 : -1;
}

/* Write head and partition time back to the queue. */
static int write_back(Run *run) {
    PyObject *head = tuple_of(&run->head);
    if (head == NULL)
        return -1;
    if (run->partition_time != NULL)
        set_field(&run->queue->partition_time, run->partition_time);
    Py_CLEAR(run->partition_time);
    Py_XSETREF(run->queue->head, head); /* last: a record that is released may run Python */
    return 0;
}

static void end(Run *run) {
    Py_CLEAR(run->raws);
    Py_CLEAR(run->popleft);
    Py_CLEAR(run->decode_key);
    Py_CLEAR(run->decode_value);
    release(&run->head);
    Py_CLEAR(run->partition_time);
}

static PyObject *decoded(PyObject *decode, PyObject *data) {
    if (data == Py_None)
        return Py_NewRef(data);
    if (decode == decode_text && PyBytes_CheckExact(data)) /* without a call of Python's */
        return PyUnicode_DecodeUTF8(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), NULL);
    return PyObject_CallOneArg(decode, data);
}

/* Make a raw record the head; 0 if the queue must look at it. */
static int make_head(Run *run, PyObject *raw) {
    if (!PyTuple_Check(raw) || PyTuple_GET_SIZE(raw) != RAW_SIZE)
        return 0;
    PyObject *timestamp = PyTuple_GET_ITEM(raw, RAW_TIMESTAMP);
    long long time = PyLong_AsLongLong(timestamp);
    if (time < 0)
        return 0;
    PyObject *key = decoded(run->decode_key, PyTuple_GET_ITEM(raw, RAW_KEY));
    if (key == NULL)
        return 0;
    PyObject *value = decoded(run->decode_value, PyTuple_GET_ITEM(raw, RAW_VALUE));
    if (value == NULL) {
        Py_DECREF(key);
        return 0;
    }
    release(&run->head);
    run->head = (Head){{Py_NewRef(timestamp), key, value, Py_NewRef(raw)}, time};
    return 1;
}

/* Have the queue find its next head itself; until it has one, the old one is its head. */
static int advance_plainly(Run *run) {
    if (write_back(run) < 0)
        return -1;
    PyObject *nothing = PyObject_CallMethodNoArgs((PyObject *)run->queue, name_advance);
    if (nothing == NULL)
        return -1;
    Py_DECREF(nothing);
    return take_head(run);
}

static int advance(Run *run) {
    Py_ssize_t left = PyObject_Size(run->raws);
    if (left < 0)
        return -1;
    if (left == 0 || run->decode_key == NULL)
        return advance_plainly(run);
    PyObject *raw = PyObject_CallNoArgs(run->popleft);
    if (raw == NULL)
        return -1;
    if (make_head(run, raw)) {
        Py_DECREF(raw);
        return 0;
    }
    int is_bad = !PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception);
    if (is_bad)
        PyErr_Clear();
    PyObject *back = is_bad ? PyObject_CallMethodOneArg(run->raws, name_appendleft, raw) : NULL;
    Py_DECREF(raw);
    Py_XDECREF(back);
    return back == NULL ? -1 : advance_plainly(run);
}

/* Hand the error that a record's processing raised to `fail`, which raises in turn. */
static void hand_over(Run *run, PyObject *fail) {
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback != NULL)
        PyException_SetTraceback(error, traceback);
    if (write_back(run) < 0)
        PyErr_Clear(); /* the record's own error says more */
    if (!PyObject_IsInstance(error, PyExc_Exception)) {
        PyErr_Restore(type, error, traceback);
        return;
    }
    PyObject *nothing = PyObject_CallFunctionObjArgs(fail, (PyObject *)run->queue, error, NULL);
    if (nothing != NULL)
        PyErr_SetString(PyExc_SystemError, "a failure was not raised");
    Py_XDECREF(nothing);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
}

/* Once for each run: by the attribute's name, as in Python. */
static int count_processed(PyObject *counters, long long processed) {
    PyObject *before = PyObject_GetAttr(counters, name_processed);
    PyObject *more = before == NULL ? NULL : PyLong_FromLongLong(processed);
    PyObject *sum = more == NULL ? NULL : PyNumber_Add(before, more);
    int failed = sum == NULL ? -1 : PyObject_SetAttr(counters, name_processed, sum);
    Py_XDECREF(before);
    Py_XDECREF(more);
    Py_XDECREF(sum);
    return failed;
}

typedef struct {
    long long count, before;
    double deadline;
} Limits;

/* Process records within the limits; return how many, -1 if one of them failed. */
static long long go_through(Run *run, PositionFields *position, PyObject *fail,
                            const Limits *limits, long long *processed) {
    long long partition_time, latest;
    if (get_long(&run->queue->partition_time, &partition_time) < 0 ||
        get_long(&position->stream_time_ms, &latest) < 0)
        return -1;
    PyObject *process = get_field(&run->queue->process);
    long long done = 0;
    for (; process != NULL && done < limits->count && run->head.fields[0] != NULL; done++) {
        long long time = run->head.time;
        if (done > 0 && time >= limits->before)
            break;
        if (done > 0 && monotonic() >= limits->deadline)
            break;
        /* The next head takes the place of this one, which is still needed. */
        Head head = run->head;
        for (int field = 0; field < HEAD_SIZE; field++)
            Py_INCREF(head.fields[field]);
        PyObject *timestamp = head.fields[HEAD_TIMESTAMP], *value = head.fields[HEAD_VALUE];
        PyObject *raw = head.fields[HEAD_RAW];
        if (time > partition_time) {
            partition_time = time;
            Py_XSETREF(run->partition_time, Py_NewRef(timestamp));
        }
        if (time > latest) {
            latest = time;
            set_field(&position->stream_time_ms, timestamp);
        }
        int failed = advance(run) < 0;
        if (!failed && value != run->skipped) {
            PyObject *const record[] = {head.fields[HEAD_KEY], value, timestamp,
                                        PyTuple_GET_ITEM(raw, RAW_HEADERS)};
            set_field(&position->raw, raw);
            *processed += 1;
            PyObject *nothing = PyObject_Vectorcall(process, record, 4, NULL);
            if (nothing == NULL) {
                failed = 1;
                hand_over(run, fail);
            }
            Py_XDECREF(nothing);
        }
        release(&head);
        if (failed)
            Py_CLEAR(process);
    }
    int failed = process == NULL;
    Py_XDECREF(process);
    return failed || write_back(run) < 0 ? -1 : done;
}

/* The type: a run for tasks whose queues mark skipped records with one object */

typedef struct {
    PyObject_HEAD
    PyObject *skipped;
} PartitionRun;

static PyObject *process_(PyObject *self, PyObject *const *given, Py_ssize_t size) {
    if (size != 7 || !PyObject_TypeCheck(given[0], &queue_fields_type) ||
        !PyObject_TypeCheck(given[1], &position_fields_type)) {
        PyErr_SetString(PyExc_TypeError,
                        "process(queue, position, counters, fail, count, before, deadline)");
        return NULL;
    }
    int overflow = 0;
    Limits limits = {.count = PyLong_AsLongLong(given[4])};
    if (!PyErr_Occurred())
        limits.before = PyLong_AsLongLongAndOverflow(given[5], &overflow);
    if (overflow > 0)
        limits.before = PY_LLONG_MAX; /* never */
    if (!PyErr_Occurred())
        limits.deadline = PyFloat_AsDouble(given[6]);
    if (PyErr_Occurred())
        return NULL;
    Run run;
    long long processed = 0, done = -1;
    if (begin(&run, (QueueFields *)given[0], ((PartitionRun *)self)->skipped) == 0)
        done = go_through(&run, (PositionFields *)given[1], given[3], &limits, &processed);
    end(&run);
    if (done < 0) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        count_processed(given[2], processed);
        PyErr_Restore(type, error, traceback);
        return NULL;
    }
    return count_processed(given[2], processed) < 0 ? NULL : PyLong_FromLongLong(done);
}

static PyObject *new_run(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", NULL};
    PyObject *skipped;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &skipped))
        return NULL;
    PartitionRun *run = (PartitionRun *)type->tp_alloc(type, 0);
    if (run != NULL)
        run->skipped = Py_NewRef(skipped);
    return (PyObject *)run;
}

static void free_run(PyObject *self) {
    Py_CLEAR(((PartitionRun *)self)->skipped);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef run_methods[] = {
    {"process", FAST(process_), METH_FASTCALL,
     "Process the next records of a queue; return how many."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject run_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.PartitionRun",
    .tp_doc = "Processes the records of one partition, one after the other.",
    .tp_basicsize = sizeof(PartitionRun),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = new_run,
    .tp_dealloc = free_run,
    .tp_methods = run_methods,
};

int add_partition_run(PyObject *module) {
    name_advance = PyUnicode_InternFromString("advance");
    name_popleft = PyUnicode_InternFromString("popleft");
    name_appendleft = PyUnicode_InternFromString("appendleft");
    decode_text = PyObject_GetAttrString((PyObject *)&PyBytes_Type, "decode");
    name_processed = PyUnicode_InternFromString("processed");
    if (!name_advance || !name_popleft || !name_appendleft || !name_processed || !decode_text)
        return -1;
    return PyModule_AddType(module, &run_type);
}
