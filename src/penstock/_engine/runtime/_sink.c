/* A record leaves: what `send` of sink.py does in Python otherwise.

   Only where the serdes are our own, and only for good records. Whatever cannot be encoded is left
   to `send` before anything has happened: it encodes once more, explains, and asks the handler. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *name_sent;

enum { KEY, VALUE, TIMESTAMP, HEADERS, PARTITION, ARGUMENTS };

typedef struct {
    PyObject_HEAD
    PyObject *topic;
    PyObject *key_class, *encode_key; /* what encodes instances of a class */
    PyObject *value_class, *encode_value;
    PyObject *scope;   /* `sent` becomes true */
    PyObject *collect; /* takes the output */
    PyObject *plainly; /* `send` */
} Sender;

/* Give the bytes of something, None of None; NULL if it must be looked at more closely. */
static PyObject *encoded(PyObject *encode, PyObject *of, PyObject *thing) {
    if (thing == Py_None)
        return Py_NewRef(thing);
    int fits = of == (PyObject *)&PyBaseObject_Type || of == (PyObject *)Py_TYPE(thing);
    if (!fits && PyObject_IsInstance(thing, of) <= 0)
        return NULL;
    return PyObject_CallOneArg(encode, thing);
}

static PyObject *output_of(Sender *sender, PyObject *const *given, PyObject *partition) {
    PyObject *key = encoded(sender->encode_key, sender->key_class, given[KEY]);
    if (key == NULL)
        return NULL;
    PyObject *value = encoded(sender->encode_value, sender->value_class, given[VALUE]);
    PyObject *output = value == NULL
                           ? NULL
                           : PyTuple_Pack(6, sender->topic, partition, key, value,
                                          given[TIMESTAMP], given[HEADERS]);
    Py_DECREF(key);
    Py_XDECREF(value);
    return output;
}

static PyObject *send_(PyObject *self, PyObject *const *given, Py_ssize_t count) {
    Sender *sender = (Sender *)self;
    if (count != ARGUMENTS && count != ARGUMENTS - 1) {
        PyErr_SetString(PyExc_TypeError, "send(key, value, timestamp, headers, partition=None)");
        return NULL;
    }
    PyObject *partition = count == ARGUMENTS ? given[PARTITION] : Py_None;
    PyObject *output = output_of(sender, given, partition);
    if (output == NULL) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
            return NULL;
        PyErr_Clear();
        return PyObject_Vectorcall(sender->plainly, given, (size_t)count, NULL);
    }
    PyObject *nothing = PyObject_SetAttr(sender->scope, name_sent, Py_True) < 0
                            ? NULL
                            : PyObject_CallOneArg(sender->collect, output);
    Py_DECREF(output);
    return nothing;
}

static PyObject *new_sender(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", "", "", "", "", "", NULL}; /* none has a name to be given by */
    PyObject *topic, *key_class, *encode_key, *value_class, *encode_value;
    PyObject *scope, *collect, *plainly;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O(OO)(OO)OOO", names, &topic, &key_class,
                                     &encode_key, &value_class, &encode_value, &scope, &collect,
                                     &plainly))
        return NULL;
    Sender *sender = (Sender *)type->tp_alloc(type, 0);
    if (sender == NULL)
        return NULL;
    sender->topic = Py_NewRef(topic);
    sender->key_class = Py_NewRef(key_class);
    sender->encode_key = Py_NewRef(encode_key);
    sender->value_class = Py_NewRef(value_class);
    sender->encode_value = Py_NewRef(encode_value);
    sender->scope = Py_NewRef(scope);
    sender->collect = Py_NewRef(collect);
    sender->plainly = Py_NewRef(plainly);
    return (PyObject *)sender;
}

static int visit_sender(PyObject *self, visitproc visit, void *arg) {
    Sender *sender = (Sender *)self;
    Py_VISIT(sender->topic);
    Py_VISIT(sender->key_class);
    Py_VISIT(sender->encode_key);
    Py_VISIT(sender->value_class);
    Py_VISIT(sender->encode_value);
    Py_VISIT(sender->scope);
    Py_VISIT(sender->collect);
    Py_VISIT(sender->plainly);
    return 0;
}

static int clear_sender(PyObject *self) {
    Sender *sender = (Sender *)self;
    Py_CLEAR(sender->topic);
    Py_CLEAR(sender->key_class);
    Py_CLEAR(sender->encode_key);
    Py_CLEAR(sender->value_class);
    Py_CLEAR(sender->encode_value);
    Py_CLEAR(sender->scope);
    Py_CLEAR(sender->collect);
    Py_CLEAR(sender->plainly);
    return 0;
}

static void free_sender(PyObject *self) {
    PyObject_GC_UnTrack(self);
    clear_sender(self);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef sender_methods[] = {
    {"send", (PyCFunction)(void (*)(void))send_, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject sender_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.runtime._sink.Sender",
    .tp_doc = "What sends records of one sink out.",
    .tp_basicsize = sizeof(Sender),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_sender,
    .tp_dealloc = free_sender,
    .tp_traverse = visit_sender,
    .tp_clear = clear_sender,
    .tp_methods = sender_methods,
};

/* The module */

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "penstock._engine.runtime._sink",
    .m_doc = "A record leaves.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__sink(void) {
    name_sent = PyUnicode_InternFromString("sent");
    PyObject *module = name_sent == NULL ? NULL : PyModule_Create(&definition);
    if (module != NULL && PyModule_AddType(module, &sender_type) < 0)
        Py_CLEAR(module);
    return module;
}
