/* A record leaves the task through a sink. In Python: `send` of sink.py.

   Only for built-in serdes, and only for good records. What cannot be encoded is left to `send`
   before anything has happened: it encodes once more, explains, and asks the handler. */

#include "fields.h"

static PyObject *encode_text; /* str.encode */

enum { KEY, VALUE, TIMESTAMP, HEADERS, PARTITION, ARGUMENTS };

/* What a sender is made of. */
enum {
    TOPIC,
    KEY_CLASS, ENCODE_KEY, /* what encodes instances of a class */
    VALUE_CLASS, ENCODE_VALUE,
    SCOPE,   /* ScopeFields: `sent` becomes true */
    COLLECT, /* takes the output */
    PLAINLY, /* `send` */
    HELD
};

typedef struct {
    PyObject_HEAD
    PyObject *held[HELD];
} Sender;

/* Return the bytes of something, None of None; NULL if Python must look at it. */
static PyObject *encoded(PyObject *encode, PyObject *of, PyObject *thing) {
    if (thing == Py_None)
        return Py_NewRef(thing);
    int fits = of == (PyObject *)&PyBaseObject_Type || of == (PyObject *)Py_TYPE(thing);
    if (!fits && PyObject_IsInstance(thing, of) <= 0)
        return NULL;
    if (encode == encode_text && PyUnicode_CheckExact(thing))
        return PyUnicode_AsUTF8String(thing); /* what it would do, without a call of Python's */
    return PyObject_CallOneArg(encode, thing);
}

static PyObject *output_of(PyObject *const *held, PyObject *const *given, PyObject *partition) {
    PyObject *key = encoded(held[ENCODE_KEY], held[KEY_CLASS], given[KEY]);
    if (key == NULL)
        return NULL;
    PyObject *value = encoded(held[ENCODE_VALUE], held[VALUE_CLASS], given[VALUE]);
    PyObject *output = value == NULL ? NULL : PyTuple_New(6);
    if (output == NULL) {
        Py_DECREF(key);
        Py_XDECREF(value);
        return NULL;
    }
    PyTuple_SET_ITEM(output, 0, Py_NewRef(held[TOPIC]));
    PyTuple_SET_ITEM(output, 1, Py_NewRef(partition));
    PyTuple_SET_ITEM(output, 2, key);
    PyTuple_SET_ITEM(output, 3, value);
    PyTuple_SET_ITEM(output, 4, Py_NewRef(given[TIMESTAMP]));
    PyTuple_SET_ITEM(output, 5, Py_NewRef(given[HEADERS]));
    return output;
}

static PyObject *send_(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    PyObject *const *held = ((Sender *)self)->held;
    if (count != ARGUMENTS && count != ARGUMENTS - 1) {
        PyErr_SetString(PyExc_TypeError, "send(key, value, timestamp, headers, partition=None)");
        return NULL;
    }
    PyObject *partition = count == ARGUMENTS ? given[PARTITION] : Py_None;
    PyObject *output = output_of(held, given, partition);
    if (output == NULL) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
            return NULL;
        PyErr_Clear();
        return PyObject_Vectorcall(held[PLAINLY], given, (size_t)count, NULL);
    }
    set_field(&((ScopeFields *)held[SCOPE])->sent, Py_True);
    PyObject *nothing = PyObject_CallOneArg(held[COLLECT], output);
    Py_DECREF(output);
    return nothing;
}

static PyObject *new_sender(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", "", "", "", "", "", NULL}; /* none has a name to be given by */
    PyObject *held[HELD];
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O(OO)(OO)O!OO", names, &held[TOPIC],
                                     &held[KEY_CLASS], &held[ENCODE_KEY], &held[VALUE_CLASS],
                                     &held[ENCODE_VALUE], &scope_fields_type,
                                     &held[SCOPE], &held[COLLECT],
                                     &held[PLAINLY]))
        return NULL;
    Sender *sender = (Sender *)type->tp_alloc(type, 0);
    for (int i = 0; sender != NULL && i < HELD; i++)
        sender->held[i] = Py_NewRef(held[i]);
    return (PyObject *)sender;
}

static int visit_sender(PyObject *self, visitproc visit, void *arg) {
    for (int i = 0; i < HELD; i++)
        Py_VISIT(((Sender *)self)->held[i]);
    return 0;
}

static int clear_sender(PyObject *self) {
    for (int i = 0; i < HELD; i++)
        Py_CLEAR(((Sender *)self)->held[i]);
    return 0;
}

static PyMethodDef sender_methods[] = {
    {"send", FAST(send_), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject sender_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.Sender",
    .tp_doc = "Sends the records of one sink.",
    .tp_basicsize = sizeof(Sender),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_sender,
    .tp_dealloc = free_collected,
    .tp_traverse = visit_sender,
    .tp_clear = clear_sender,
    .tp_methods = sender_methods,
};

/* Before the collector: large records are looked at closely. */

typedef struct {
    PyObject_HEAD
    PyObject *collect, *look_closely;
    Py_ssize_t suspicious; /* bytes of key and value from which on a record is looked at */
} Guard;

static Py_ssize_t size_in(PyObject *output, Py_ssize_t at) {
    PyObject *bytes = PyTuple_GET_ITEM(output, at);
    return PyBytes_Check(bytes) ? PyBytes_GET_SIZE(bytes) : 0;
}

static PyObject *collect_(PyObject *self, PyObject *output) {
    Guard *guard = (Guard *)self;
    if (!PyTuple_Check(output) || PyTuple_GET_SIZE(output) != 6) {
        PyErr_SetString(PyExc_TypeError, "an output is a tuple of six");
        return NULL;
    }
    int large = size_in(output, 2) + size_in(output, 3) >= guard->suspicious;
    return PyObject_CallOneArg(large ? guard->look_closely : guard->collect, output);
}

static PyObject *new_guard(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", "", "", NULL};
    PyObject *collect, *look_closely;
    Py_ssize_t suspicious;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OnO", names, &collect, &suspicious,
                                     &look_closely))
        return NULL;
    Guard *guard = (Guard *)type->tp_alloc(type, 0);
    if (guard != NULL) {
        guard->collect = Py_NewRef(collect);
        guard->look_closely = Py_NewRef(look_closely);
        guard->suspicious = suspicious;
    }
    return (PyObject *)guard;
}

static int visit_guard(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((Guard *)self)->collect);
    Py_VISIT(((Guard *)self)->look_closely);
    return 0;
}

static int clear_guard(PyObject *self) {
    Py_CLEAR(((Guard *)self)->collect);
    Py_CLEAR(((Guard *)self)->look_closely);
    return 0;
}

static PyMethodDef guard_methods[] = {
    {"collect", collect_, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject guard_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.Guard",
    .tp_doc = "Hands large records to a closer look, all others to the collector.",
    .tp_basicsize = sizeof(Guard),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_guard,
    .tp_dealloc = free_collected,
    .tp_traverse = visit_guard,
    .tp_clear = clear_guard,
    .tp_methods = guard_methods,
};

/* The module */

int add_sink(PyObject *module) {
    encode_text = PyObject_GetAttrString((PyObject *)&PyUnicode_Type, "encode");
    if (encode_text == NULL)
        return -1;
    return PyModule_AddType(module, &sender_type) < 0 ? -1 : PyModule_AddType(module, &guard_type);
}
