/* Documents with `null` in them are looked at. In Python: `guarded` of serdes/lost_floats.py.

   Plain values are looked at here; of others it is left to Python. */

#include "fast.h"

#include <math.h>
#include <string.h>

#define DEEPEST 100

/* Whether a document has `null` in it: as a value, or in a text. The u is rarer than the n. */
static int has_null(PyObject *document) {
    const char *start = PyBytes_AS_STRING(document);
    const char *at = start, *end = start + PyBytes_GET_SIZE(document);
    while ((at = memchr(at, 'u', (size_t)(end - at))) != NULL) {
        if (at > start && end - at >= 3 && memcmp(at - 1, "null", 4) == 0)
            return 1;
        at++;
    }
    return 0;
}

/* Whether a value may have a float in it that is not finite. Runs no Python. */
static int may_be_lost(PyObject *value, int depth) {
    if (value == Py_None || PyUnicode_CheckExact(value) || PyLong_CheckExact(value) ||
        PyBool_Check(value))
        return 0;
    if (PyFloat_CheckExact(value))
        return !isfinite(PyFloat_AS_DOUBLE(value));
    if (depth == 0)
        return 1;
    if (PyDict_CheckExact(value)) {
        PyObject *key, *part; /* keys are written as text */
        Py_ssize_t at = 0;
        while (PyDict_Next(value, &at, &key, &part))
            if (may_be_lost(part, depth - 1))
                return 1;
        return 0;
    }
    if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value))
        return 1;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++)
        if (may_be_lost(PySequence_Fast_GET_ITEM(value, i), depth - 1))
            return 1;
    return 0;
}

/* `both` are the function that encodes, and the one that looks at the value. */
static PyObject *encode_and_look(PyObject *both, PyObject *value) {
    PyObject *data = PyObject_CallOneArg(PyTuple_GET_ITEM(both, 0), value);
    if (data == NULL || !PyBytes_Check(data) || !has_null(data) || !may_be_lost(value, DEEPEST))
        return data;
    PyObject *nothing = PyObject_CallOneArg(PyTuple_GET_ITEM(both, 1), value);
    if (nothing == NULL)
        Py_CLEAR(data);
    Py_XDECREF(nothing);
    return data;
}

static PyMethodDef encoder = {"encode", encode_and_look, METH_O, NULL};

static PyObject *guarded(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    if (size != 2) {
        PyErr_SetString(PyExc_TypeError, "guarded(encode, look)");
        return NULL;
    }
    PyObject *both = PyTuple_Pack(2, given[0], given[1]);
    PyObject *encode = both == NULL ? NULL : PyCFunction_New(&encoder, both);
    Py_XDECREF(both);
    return encode;
}

static PyMethodDef functions[] = {
    {"guarded", FAST(guarded), METH_FASTCALL,
     "Return a function that encodes, and looks at values whose null may be a float."},
    {NULL, NULL, 0, NULL},
};

int add_lost_floats(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
