/* Outputs of tasks as columns of Arrow. In Python: spark/batch/tasks/record_columns.py. */

#include "fast.h"

#include <string.h>

typedef struct {
    char *bytes;
    Py_ssize_t size, room;
} Growing;

static int add_bytes(Growing *to, const void *bytes, Py_ssize_t size) {
    if (size > to->room - to->size) {
        Py_ssize_t room = (to->size + size) * 2 + 1024;
        char *moved = PyMem_Realloc(to->bytes, room);
        if (moved == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        to->bytes = moved;
        to->room = room;
    }
    if (size > 0)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return 0;
}

/* Bytes or nulls: where each ends, the bytes, a byte for each that says whether it is null. */
typedef struct {
    Growing ends, data, nulls;
    Py_ssize_t null_count;
} Values;

typedef struct {
    PyObject_HEAD
    long long rank;
    int has_rank;
    Py_ssize_t rows;
    Growing ranks, times;
    Values keys, values;
} RecordColumns;

static PyTypeObject record_columns_type;

static int is_bytes_or_none(PyObject *object) {
    return object == Py_None || PyBytes_Check(object);
}

static Py_ssize_t size_of(PyObject *object) {
    return object == Py_None ? 0 : PyBytes_GET_SIZE(object);
}

static int add_value(Values *to, PyObject *value) {
    char is_null = value == Py_None;
    Py_ssize_t size = size_of(value);
    if (size > INT32_MAX - to->data.size) {
        PyErr_SetString(PyExc_OverflowError, "the outputs of one step must be below 2 GB");
        return -1;
    }
    if (add_bytes(&to->data, is_null ? "" : PyBytes_AS_STRING(value), size) < 0)
        return -1;
    int32_t end = (int32_t)to->data.size;
    to->null_count += is_null;
    return add_bytes(&to->ends, &end, 4) < 0 ? -1 : add_bytes(&to->nulls, &is_null, 1);
}

static int add_record(RecordColumns *to, PyObject *key, PyObject *value, long long time) {
    int64_t rank = to->has_rank && to->rank > time ? to->rank : time, stamped = time;
    if (add_value(&to->keys, key) < 0 || add_value(&to->values, value) < 0 ||
        add_bytes(&to->ranks, &rank, 8) < 0 || add_bytes(&to->times, &stamped, 8) < 0)
        return -1;
    to->rank = rank;
    to->has_rank = 1;
    to->rows++;
    return 0;
}

static PyObject *append(PyObject *self, PyObject *const *given, Py_ssize_t size) {
    if (size != 3) {
        PyErr_SetString(PyExc_TypeError, "append(key, value, timestamp)");
        return NULL;
    }
    for (int at = 0; at < 2; at++)
        if (!is_bytes_or_none(given[at]))
            return PyErr_Format(PyExc_TypeError, "the %s of a record must be bytes or None; got %.100s",
                                at == 0 ? "key" : "value", Py_TYPE(given[at])->tp_name);
    long long time = PyLong_AsLongLong(given[2]);
    if ((time == -1 && PyErr_Occurred()) ||
        add_record((RecordColumns *)self, given[0], given[1], time) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* Return what was collected as bytes, and begin anew. */
static PyObject *taken(Growing *from) {
    PyObject *made = PyBytes_FromStringAndSize(from->bytes, from->size);
    PyMem_Free(from->bytes);
    memset(from, 0, sizeof *from);
    return made;
}

/* Return (validity or None, ends, data). */
static PyObject *taken_values(Values *from) {
    Py_ssize_t rows = from->nulls.size;
    PyObject *validity = from->null_count == 0
                             ? Py_NewRef(Py_None)
                             : PyBytes_FromStringAndSize(NULL, (rows + 7) / 8);
    if (validity != NULL && from->null_count > 0) {
        unsigned char *bits = (unsigned char *)PyBytes_AS_STRING(validity);
        memset(bits, 0, (rows + 7) / 8);
        for (Py_ssize_t row = 0; row < rows; row++)
            bits[row >> 3] |= (unsigned char)(!from->nulls.bytes[row] << (row & 7));
    }
    from->nulls.size = from->null_count = 0;
    PyObject *starts = PyBytes_FromStringAndSize(NULL, (rows + 1) * 4);
    if (starts != NULL) {
        memset(PyBytes_AS_STRING(starts), 0, 4);
        if (rows > 0)
            memcpy(PyBytes_AS_STRING(starts) + 4, from->ends.bytes, rows * 4);
    }
    from->ends.size = 0;
    PyObject *data = taken(&from->data);
    if (validity == NULL || starts == NULL || data == NULL) {
        Py_XDECREF(validity);
        Py_XDECREF(starts);
        Py_XDECREF(data);
        return NULL;
    }
    return Py_BuildValue("(NNN)", validity, starts, data);
}

static PyObject *take(PyObject *self, PyObject *unused) {
    (void)unused;
    RecordColumns *columns = (RecordColumns *)self;
    Py_ssize_t rows = columns->rows;
    columns->rows = 0;
    PyObject *ranks = taken(&columns->ranks), *times = taken(&columns->times);
    PyObject *keys = taken_values(&columns->keys), *values = taken_values(&columns->values);
    if (ranks == NULL || times == NULL || keys == NULL || values == NULL) {
        Py_XDECREF(ranks);
        Py_XDECREF(times);
        Py_XDECREF(keys);
        Py_XDECREF(values);
        return NULL;
    }
    return Py_BuildValue("(nNNNN)", rows, ranks, times, keys, values);
}

static void free_values(Values *values) {
    PyMem_Free(values->ends.bytes);
    PyMem_Free(values->data.bytes);
    PyMem_Free(values->nulls.bytes);
}

static void dealloc(PyObject *self) {
    RecordColumns *columns = (RecordColumns *)self;
    PyMem_Free(columns->ranks.bytes);
    PyMem_Free(columns->times.bytes);
    free_values(&columns->keys);
    free_values(&columns->values);
    Py_TYPE(self)->tp_free(self);
}

/* Return the columns of an output, NULL if Python must look at it. */
static RecordColumns *columns_of(PyObject *output, PyObject *places) {
    PyObject *partition = PyTuple_GET_ITEM(output, 1), *key = PyTuple_GET_ITEM(output, 2);
    PyObject *headers = PyTuple_GET_ITEM(output, 5);
    if (!is_bytes_or_none(key) || !is_bytes_or_none(PyTuple_GET_ITEM(output, 3)) ||
        !PyLong_CheckExact(PyTuple_GET_ITEM(output, 4)) || !PyTuple_CheckExact(headers) ||
        PyTuple_GET_SIZE(headers) > 0)
        return NULL;
    Py_ssize_t count = PyList_GET_SIZE(places), at = -1;
    if (PyLong_CheckExact(partition)) {
        at = PyLong_AsSsize_t(partition);
        if (at == -1)
            PyErr_Clear();
    } else if (partition == Py_None && key != Py_None && count > 0) {
        uint32_t hashed =
            murmur2((const unsigned char *)PyBytes_AS_STRING(key), PyBytes_GET_SIZE(key));
        at = (hashed & 0x7fffffff) % count;
    }
    PyObject *found = at >= 0 && at < count ? PyList_GET_ITEM(places, at) : NULL;
    return found != NULL && Py_IS_TYPE(found, &record_columns_type) ? (RecordColumns *)found : NULL;
}

/* add_outputs(outputs, first, skipped topics, places by topic) */
static PyObject *add_outputs(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    if (size != 4 || !PyList_Check(given[0]) || !PyAnySet_Check(given[2]) ||
        !PyDict_Check(given[3])) {
        PyErr_SetString(PyExc_TypeError, "add_outputs(outputs, first, skipped, places)");
        return NULL;
    }
    Py_ssize_t at = PyLong_AsSsize_t(given[1]), bytes = 0;
    if (at < 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "first must not be < 0");
    /* Topic and places of the output before, owned: names are the same objects, and to compare
       others may run Python. */
    PyObject *last = NULL, *places = NULL, *output = NULL;
    int is_skipped = 0;
    for (; at < PyList_GET_SIZE(given[0]); at++) {
        Py_XSETREF(output, Py_NewRef(PyList_GET_ITEM(given[0], at)));
        if (!PyTuple_Check(output) || PyTuple_GET_SIZE(output) != 6)
            break;
        PyObject *topic = PyTuple_GET_ITEM(output, 0);
        if (topic != last) {
            Py_XSETREF(last, Py_NewRef(topic));
            is_skipped = PySet_Contains(given[2], topic);
            PyObject *found = is_skipped ? NULL : PyDict_GetItemWithError(given[3], topic);
            Py_XSETREF(places, Py_XNewRef(found));
            if (PyErr_Occurred())
                break;
        }
        if (is_skipped)
            continue;
        if (places == NULL || !PyList_Check(places))
            break;
        RecordColumns *columns = columns_of(output, places);
        if (columns == NULL)
            break;
        long long time = PyLong_AsLongLong(PyTuple_GET_ITEM(output, 4));
        if (time == -1 && PyErr_Occurred())
            break;
        PyObject *key = PyTuple_GET_ITEM(output, 2), *value = PyTuple_GET_ITEM(output, 3);
        if (add_record(columns, key, value, time) < 0)
            break;
        bytes += size_of(key) + size_of(value);
    }
    PyObject *added = PyErr_Occurred() ? NULL : Py_BuildValue("(nn)", at, bytes);
    Py_XDECREF(output);
    Py_XDECREF(last);
    Py_XDECREF(places);
    return added;
}

static PyMethodDef methods[] = {
    {"append", FAST(append), METH_FASTCALL, "Add a record."},
    {"take", take, METH_NOARGS, "Return the columns since the last call."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"rows", T_PYSSIZET, offsetof(RecordColumns, rows), READONLY, "How many records there are."},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject record_columns_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "penstock._engine.fast._fast.RecordColumns",
    .tp_doc = "Records of one partition of a topic, column by column.",
    .tp_basicsize = sizeof(RecordColumns),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = dealloc,
    .tp_methods = methods,
    .tp_members = members,
};

static PyMethodDef functions[] = {
    {"add_outputs", FAST(add_outputs), METH_FASTCALL,
     "Add outputs to their columns; return the first that Python must look at, and the bytes."},
    {NULL, NULL, 0, NULL},
};

int add_record_columns(PyObject *module) {
    return PyModule_AddFunctions(module, functions) < 0
               ? -1
               : PyModule_AddType(module, &record_columns_type);
}
