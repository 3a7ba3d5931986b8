/* Stored rows leave as records. In Python: row_sender.py. */

#include "fast.h"

typedef struct {
    PyObject_HEAD
    PyObject *send;
    PyObject *topic, *partition;
    PyObject *place; /* NULL if the partition is known */
    Py_ssize_t before, behind;
    int keeps_headers;
} RowSender;

static PyObject *key_in(RowSender *sender, PyObject *row_key) {
    if (sender->before == 0 && sender->behind == 0)
        return Py_NewRef(row_key);
    Py_ssize_t size = PyBytes_GET_SIZE(row_key);
    if (sender->before > size || sender->behind > size - sender->before)
        return PyBytes_FromStringAndSize(NULL, 0);
    return PyBytes_FromStringAndSize(PyBytes_AS_STRING(row_key) + sender->before,
                                     size - sender->before - sender->behind);
}

static PyObject *send_row(RowSender *sender, PyObject *row_key, PyObject *row, PyObject *timestamp,
                          PyObject *headers) {
    int is_row = PyBytes_Check(row) && PyBytes_GET_SIZE(row) >= LONG_BYTES;
    if (!PyBytes_Check(row_key) || !(is_row || row == Py_None)) {
        PyErr_SetString(PyExc_TypeError, "keys are bytes, and a row begins with its time");
        return NULL;
    }
    PyObject *value = NULL, *time = NULL, *partition = NULL, *output = NULL, *nothing = NULL;
    PyObject *key = key_in(sender, row_key);
    if (key != NULL)
        partition = sender->place == NULL ? Py_NewRef(sender->partition)
                                          : PyObject_CallOneArg(sender->place, key);
    if (partition != NULL && row == Py_None) {
        value = Py_NewRef(row);
        time = Py_NewRef(timestamp);
    } else if (partition != NULL) {
        const char *bytes = PyBytes_AS_STRING(row);
        value = PyBytes_FromStringAndSize(bytes + LONG_BYTES,
                                          PyBytes_GET_SIZE(row) - LONG_BYTES);
        time = PyLong_FromLongLong(read_long(bytes));
    }
    if (value != NULL && time != NULL)
        output = PyTuple_Pack(6, sender->topic, partition, key, value, time,
                              sender->keeps_headers ? headers : no_headers);
    if (output != NULL)
        nothing = PyObject_CallOneArg(sender->send, output);
    Py_XDECREF(key);
    Py_XDECREF(partition);
    Py_XDECREF(value);
    Py_XDECREF(time);
    Py_XDECREF(output);
    return nothing;
}

static PyObject *log_(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "log(row_key, row, timestamp, headers)");
        return NULL;
    }
    return send_row((RowSender *)self, given[0], given[1], given[2], given[3]);
}

static PyObject *on_flush(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "on_flush(row_key, new, old, timestamp, headers)");
        return NULL;
    }
    return send_row((RowSender *)self, given[0], given[1], given[3], given[4]);
}

static PyObject *new_sender(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", "", NULL}; /* none has a name to be given by */
    PyObject *send, *topic, *partition, *place;
    Py_ssize_t before, behind;
    int keeps_headers;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O(OOOnnp)", names, &send, &topic,
                                     &partition, &place, &before, &behind, &keeps_headers))
        return NULL;
    if (before < 0 || behind < 0) {
        PyErr_SetString(PyExc_ValueError, "the bytes around a key must not be < 0");
        return NULL;
    }
    RowSender *sender = (RowSender *)type->tp_alloc(type, 0);
    if (sender == NULL)
        return NULL;
    sender->send = Py_NewRef(send);
    sender->topic = Py_NewRef(topic);
    sender->partition = Py_NewRef(partition);
    sender->place = place == Py_None ? NULL : Py_NewRef(place);
    sender->before = before;
    sender->behind = behind;
    sender->keeps_headers = keeps_headers;
    return (PyObject *)sender;
}

static int visit_sender(PyObject *self, visitproc visit, void *arg) {
    RowSender *sender = (RowSender *)self;
    Py_VISIT(sender->send);
    Py_VISIT(sender->topic);
    Py_VISIT(sender->partition);
    Py_VISIT(sender->place);
    return 0;
}

static int clear_sender(PyObject *self) {
    RowSender *sender = (RowSender *)self;
    Py_CLEAR(sender->send);
    Py_CLEAR(sender->topic);
    Py_CLEAR(sender->partition);
    Py_CLEAR(sender->place);
    return 0;
}

static PyMethodDef sender_methods[] = {
    {"log", FAST(log_), METH_FASTCALL, NULL},
    {"on_flush", FAST(on_flush), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject sender_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.RowSender",
    .tp_doc = "Sends stored rows as records.",
    .tp_basicsize = sizeof(RowSender),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_sender,
    .tp_dealloc = free_collected,
    .tp_traverse = visit_sender,
    .tp_clear = clear_sender,
    .tp_methods = sender_methods,
};

int add_row_sender(PyObject *module) { return PyModule_AddType(module, &sender_type); }
