/* Columns of Arrow as records, and the partitions of a column of keys. In Python:
   spark/batch/tasks/arrow_records.py.

   A column comes as (first row, validity, second buffer, third buffer), as Arrow lays them out: of
   longs the second holds the values, of binary 32-bit offsets into the third. */

#include "fast.h"

#include <stdint.h>
#include <string.h>

typedef struct {
    Py_ssize_t first; /* The row of the buffers with which the column begins. */
    Py_buffer validity, values, data;
} Column;

static int get_buffer(PyObject *object, Py_buffer *view) {
    if (object != Py_None)
        return PyObject_GetBuffer(object, view, PyBUF_SIMPLE);
    memset(view, 0, sizeof *view);
    return 0;
}

static void close_column(Column *column) {
    PyBuffer_Release(&column->validity);
    PyBuffer_Release(&column->values);
    PyBuffer_Release(&column->data);
}

/* Open a column of `rows` rows; `width` are the bytes of each in the second buffer, `ends` says
   whether one more follows. */
static int open_column(PyObject *given, Column *column, Py_ssize_t rows, int width, int ends) {
    memset(column, 0, sizeof *column);
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != 4) {
        PyErr_SetString(PyExc_TypeError, "a column must be a tuple of four");
        return -1;
    }
    column->first = PyLong_AsSsize_t(PyTuple_GET_ITEM(given, 0));
    if ((column->first == -1 && PyErr_Occurred()) ||
        get_buffer(PyTuple_GET_ITEM(given, 1), &column->validity) < 0 ||
        get_buffer(PyTuple_GET_ITEM(given, 2), &column->values) < 0 ||
        get_buffer(PyTuple_GET_ITEM(given, 3), &column->data) < 0) {
        close_column(column);
        return -1;
    }
    int fits = column->first >= 0 && rows < PY_SSIZE_T_MAX - column->first;
    Py_ssize_t last = fits ? column->first + rows : 0;
    if (!fits || (rows > 0 && column->values.len / width < last + ends) ||
        (column->validity.buf != NULL && column->validity.len < last / 8 + (last % 8 > 0))) {
        PyErr_SetString(PyExc_ValueError, "a column must have a value for each row");
        close_column(column);
        return -1;
    }
    return 0;
}

static int is_null(const Column *column, Py_ssize_t row) {
    const unsigned char *bits = column->validity.buf;
    Py_ssize_t at = column->first + row;
    return bits != NULL && !(bits[at >> 3] >> (at & 7) & 1);
}

static int64_t long_at(const Column *column, Py_ssize_t row) {
    int64_t value;
    memcpy(&value, (const char *)column->values.buf + (column->first + row) * 8, 8);
    return value;
}

/* Find the bytes of a row; return -1 with an error set if they are not within the buffer. */
static Py_ssize_t bytes_at(const Column *column, Py_ssize_t row, const char **bytes) {
    int32_t ends[2];
    memcpy(ends, (const char *)column->values.buf + (column->first + row) * 4, 8);
    if (ends[0] < 0 || ends[1] < ends[0] || ends[1] > column->data.len) {
        PyErr_SetString(PyExc_ValueError, "a row must lie within the column's bytes");
        return -1;
    }
    *bytes = (const char *)column->data.buf + ends[0];
    return ends[1] - ends[0];
}

static PyObject *object_at(const Column *column, Py_ssize_t row) {
    if (is_null(column, row))
        Py_RETURN_NONE;
    const char *bytes;
    Py_ssize_t size = bytes_at(column, row, &bytes);
    return size < 0 ? NULL : PyBytes_FromStringAndSize(size > 0 ? bytes : NULL, size);
}

static PyObject *column_partitions(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    Py_ssize_t rows = size == 3 ? PyLong_AsSsize_t(given[1]) : -1;
    long partitions = rows >= 0 ? PyLong_AsLong(given[2]) : 0;
    if (rows < 0 || partitions <= 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "column_partitions(column, rows, partitions)");
        return NULL;
    }
    Column keys;
    if (open_column(given[0], &keys, rows, 4, 1) < 0)
        return NULL;
    PyObject *made = PyBytes_FromStringAndSize(NULL, rows * 4);
    for (Py_ssize_t row = 0; made != NULL && row < rows; row++) {
        const char *key = "";
        Py_ssize_t length = is_null(&keys, row) ? 0 : bytes_at(&keys, row, &key);
        if (length < 0) {
            Py_CLEAR(made);
            break;
        }
        uint32_t hashed = murmur2((const unsigned char *)key, length);
        int32_t partition = (int32_t)((hashed & 0x7fffffff) % partitions);
        memcpy(PyBytes_AS_STRING(made) + row * 4, &partition, 4);
    }
    close_column(&keys);
    return made;
}

/* Make the raw record of a row: (offset, timestamp, key, value, headers). */
static PyObject *record_at(const Column *columns, Py_ssize_t row, long long offset,
                           PyObject *headers) {
    PyObject *record = PyTuple_New(5), *part = NULL;
    for (int at = 0; record != NULL && at < 5; at++) {
        part = at == 0   ? PyLong_FromLongLong(offset)
               : at == 1 ? PyLong_FromLongLong(long_at(&columns[0], row))
               : at == 4 ? Py_NewRef(headers)
                         : object_at(&columns[at - 1], row);
        if (part == NULL)
            Py_CLEAR(record);
        else
            PyTuple_SET_ITEM(record, at, part);
    }
    return record;
}

/* column_records(rows, next offset, offsets or None, timestamps, keys, values, headers or None) */
static PyObject *column_records(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    Py_ssize_t rows = size == 7 ? PyLong_AsSsize_t(given[0]) : -1;
    long long next = rows >= 0 ? PyLong_AsLongLong(given[1]) : -1;
    PyObject *headers = size == 7 && PyList_Check(given[6]) ? given[6] : NULL;
    if (rows < 0 || next < 0 || next > PY_LLONG_MAX - rows || (headers != NULL && PyList_GET_SIZE(headers) != rows)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "column_records(rows, next, columns, headers)");
        return NULL;
    }
    enum { LONGS, KEYS, VALUES, OFFSETS, COLUMNS };
    Column columns[COLUMNS];
    memset(columns, 0, sizeof columns);
    PyObject *records = NULL;
    int numbered = given[2] == Py_None;
    if (open_column(given[3], &columns[LONGS], rows, 8, 0) == 0 &&
        open_column(given[4], &columns[KEYS], rows, 4, 1) == 0 &&
        open_column(given[5], &columns[VALUES], rows, 4, 1) == 0 &&
        (numbered || open_column(given[2], &columns[OFFSETS], rows, 8, 0) == 0))
        records = PyList_New(rows);
    for (Py_ssize_t row = 0; records != NULL && row < rows; row++) {
        long long offset = numbered ? next + row : long_at(&columns[OFFSETS], row);
        if (headers != NULL && PyList_GET_SIZE(headers) != rows) { /* the collector may run */
            PyErr_SetString(PyExc_ValueError, "headers must not change while they are read");
            Py_CLEAR(records);
            break;
        }
        PyObject *pairs = Py_NewRef(headers == NULL ? no_headers : PyList_GET_ITEM(headers, row));
        PyObject *record = record_at(columns, row, offset, pairs);
        Py_DECREF(pairs);
        if (record == NULL)
            Py_CLEAR(records);
        else
            PyList_SET_ITEM(records, row, record);
    }
    for (int at = 0; at < COLUMNS; at++)
        close_column(&columns[at]);
    return records;
}

static PyMethodDef functions[] = {
    {"column_partitions", FAST(column_partitions), METH_FASTCALL,
     "Return the partition of each key of a column among so many, as 32-bit integers."},
    {"column_records", FAST(column_records), METH_FASTCALL, "Return columns as raw records."},
    {NULL, NULL, 0, NULL},
};

int add_columns(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
