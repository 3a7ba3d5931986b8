/* How many bytes records have, many at a time. In Python: runtime/sizes.py. */

#include "fast.h"

/* Topics whose outputs are being added up: those of a task are few, and their names are the same
   objects again and again. */
enum { TOPICS = 8 };

typedef struct {
    PyObject *topic; /* owned */
    long long count, sampled, bytes;
} Tally;

/* What is no bytes counts nothing here: the producer refuses it, with a better message. */
static Py_ssize_t size_of_bytes(PyObject *object) {
    return PyBytes_Check(object) ? PyBytes_GET_SIZE(object) : 0;
}

static Py_ssize_t size_of_text(PyObject *object) {
    Py_ssize_t size = 0;
    if (!PyUnicode_Check(object) || PyUnicode_AsUTF8AndSize(object, &size) != NULL)
        return size;
    /* It has lone surrogates. */
    PyErr_Clear();
    PyObject *bytes = PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass");
    if (bytes == NULL) {
        PyErr_Clear();
        return 0;
    }
    size = PyBytes_GET_SIZE(bytes);
    Py_DECREF(bytes);
    return size;
}

static long long size_of_headers(PyObject *headers) {
    long long total = 0;
    for (Py_ssize_t i = 0; PyTuple_Check(headers) && i < PyTuple_GET_SIZE(headers); i++) {
        PyObject *pair = PyTuple_GET_ITEM(headers, i);
        if (PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2)
            total += size_of_text(PyTuple_GET_ITEM(pair, 0)) +
                     size_of_bytes(PyTuple_GET_ITEM(pair, 1));
    }
    return total;
}

/* Return the bytes of key, value and headers of a tuple that has them at these places. */
static long long size_of(PyObject *record, Py_ssize_t fields, Py_ssize_t key, Py_ssize_t headers) {
    if (!PyTuple_Check(record) || PyTuple_GET_SIZE(record) != fields) {
        PyErr_Format(PyExc_TypeError, "a record must be a tuple of %zd", fields);
        return -1;
    }
    PyObject *pairs = PyTuple_GET_ITEM(record, headers);
    return size_of_bytes(PyTuple_GET_ITEM(record, key)) +
           size_of_bytes(PyTuple_GET_ITEM(record, key + 1)) +
           (pairs == no_headers ? 0 : size_of_headers(pairs));
}

static PyObject *size_of_records(PyObject *module, PyObject *records) {
    (void)module;
    if (!PyList_Check(records)) {
        PyErr_SetString(PyExc_TypeError, "size_of_records(list)");
        return NULL;
    }
    long long total = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(records); i++) {
        PyObject *record = Py_NewRef(PyList_GET_ITEM(records, i)); /* odd names run Python */
        long long size = size_of(record, 5, 2, 4);
        Py_DECREF(record);
        if (size < 0)
            return NULL;
        total += size;
    }
    return PyLong_FromLongLong(total);
}

/* Add a tally to those of its topic; the outputs whose bytes were counted stand for the others. */
static int add_tally(PyObject *sizes, Tally *tally) {
    tally->bytes = tally->bytes * tally->count / tally->sampled;
    PyObject *before = PyDict_GetItemWithError(sizes, tally->topic);
    if (before == NULL && PyErr_Occurred())
        return -1;
    if (before != NULL) { /* two numbers of this function's own */
        tally->count += PyLong_AsLongLong(PyTuple_GET_ITEM(before, 0));
        tally->bytes += PyLong_AsLongLong(PyTuple_GET_ITEM(before, 1));
    }
    PyObject *sum = Py_BuildValue("(LL)", tally->count, tally->bytes);
    int failed = sum == NULL ? -1 : PyDict_SetItem(sizes, tally->topic, sum);
    Py_XDECREF(sum);
    return failed;
}

static PyObject *sizes_of_outputs(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    long every = size == 2 && PyList_Check(given[0]) ? PyLong_AsLong(given[1]) : 0;
    if (every < 1) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "sizes_of_outputs(list, every)");
        return NULL;
    }
    PyObject *outputs = given[0], *sizes = PyDict_New();
    Tally tallies[TOPICS];
    int used = 0, failed = sizes == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(outputs); i++) {
        PyObject *output = Py_NewRef(PyList_GET_ITEM(outputs, i));
        if (!PyTuple_Check(output) || PyTuple_GET_SIZE(output) != 6) {
            Py_DECREF(output);
            PyErr_SetString(PyExc_TypeError, "an output must be a tuple of six");
            failed = 1;
            break;
        }
        PyObject *topic = PyTuple_GET_ITEM(output, 0);
        int at = 0;
        while (at < used && tallies[at].topic != topic)
            at++;
        if (at == TOPICS) {
            at = 0;
            failed = add_tally(sizes, &tallies[0]) != 0;
            Py_DECREF(tallies[0].topic);
            tallies[0] = (Tally){Py_NewRef(topic), 0, 0, 0};
        } else if (at == used) {
            tallies[used++] = (Tally){Py_NewRef(topic), 0, 0, 0};
        }
        if (tallies[at].count++ % every == 0) {
            tallies[at].sampled++;
            tallies[at].bytes += failed ? 0 : size_of(output, 6, 2, 5);
        }
        Py_DECREF(output);
    }
    for (int at = 0; at < used; at++) {
        failed = failed || add_tally(sizes, &tallies[at]) != 0;
        Py_DECREF(tallies[at].topic);
    }
    if (failed)
        Py_CLEAR(sizes);
    return sizes;
}

static PyMethodDef functions[] = {
    {"size_of_records", size_of_records, METH_O, "Return the bytes of raw records."},
    {"sizes_of_outputs", FAST(sizes_of_outputs), METH_FASTCALL,
     "Return how many outputs each topic has, and their bytes, of which some are counted."},
    {NULL, NULL, 0, NULL},
};

int add_sizes(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
