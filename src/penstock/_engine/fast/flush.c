/* Rows that a cache flushes. In Python: flush.py. */

#include "fast.h"

/* The first fields of a change. */
enum { ROW_KEY, ROW, TIME, HEADERS, FIELDS };

/* Hand a row that was put to the store, its changelog and the listener. */
static int flush_put(PyObject *change, PyObject *put, PyObject *log, PyObject *listener) {
    PyObject *const *fields = &PyTuple_GET_ITEM(change, 0);
    PyObject *const arguments[] = {fields[ROW_KEY], fields[ROW], Py_None, fields[TIME], fields[HEADERS]};
    PyObject *nothing = PyObject_Vectorcall(put, fields, 2, NULL);
    if (nothing != NULL && log != Py_None)
        Py_SETREF(nothing, PyObject_Vectorcall(log, fields, 4, NULL));
    if (nothing != NULL)
        Py_SETREF(nothing, PyObject_Vectorcall(listener, arguments, 5, NULL));
    Py_XDECREF(nothing);
    return nothing == NULL ? -1 : 0;
}

static PyObject *flush_puts(PyObject *module, PyObject *const *given, Py_ssize_t count) {
    (void)module;
    if (count != 4 || !PyList_Check(given[0])) {
        PyErr_SetString(PyExc_TypeError, "flush_puts(changes, put, log, listener)");
        return NULL;
    }
    Py_ssize_t done = 0;
    int failed = 0;
    for (; !failed && done < PyList_GET_SIZE(given[0]); done++) {
        PyObject *change = PyList_GET_ITEM(given[0], done);
        if (!PyTuple_Check(change) || PyTuple_GET_SIZE(change) < FIELDS) {
            PyErr_SetString(PyExc_TypeError, "a change is (key, row, timestamp, headers, ...)");
            return NULL;
        }
        if (PyTuple_GET_ITEM(change, ROW) == Py_None)
            break;
        Py_INCREF(change);
        failed = flush_put(change, given[1], given[2], given[3]);
        Py_DECREF(change);
    }
    return failed ? NULL : PyLong_FromSsize_t(done);
}

static PyMethodDef functions[] = {
    {"flush_puts", FAST(flush_puts), METH_FASTCALL,
     "Hand rows that were put to a store, its changelog and a listener; return how many."},
    {NULL, NULL, 0, NULL},
};

int add_flush(PyObject *module) { return PyModule_AddFunctions(module, functions); }
