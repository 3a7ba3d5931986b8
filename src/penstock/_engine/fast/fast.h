/* What the parts of the compiled module share: big-endian longs, the boilerplate of types and
   functions, the hash of keys. Everything else of a part is static in its own file. */

#ifndef PENSTOCK_FAST_H
#define PENSTOCK_FAST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>

/* The module: each part adds its types and functions, and returns -1 with an error set if it
   cannot. */

int add_bulk(PyObject *module);
int add_columns(PyObject *module);
int add_entries(PyObject *module);
int add_fields(PyObject *module);
int add_flush(PyObject *module);
int add_lost_floats(PyObject *module);
int add_murmur2(PyObject *module);
int add_murmur3(PyObject *module);
int add_partition_run(PyObject *module);
int add_recent_rows(PyObject *module);
int add_record_columns(PyObject *module);
int add_row_sender(PyObject *module);
int add_sink(PyObject *module);
int add_sizes(PyObject *module);

extern PyObject *no_headers; /* () */

uint32_t murmur2(const unsigned char *data, Py_ssize_t size);

#define FAST(function) ((PyCFunction)(void (*)(void))(function))

/* The tp_dealloc of types that the garbage collector knows and no class inherits from. */
static inline void free_collected(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_TYPE(self)->tp_clear(self);
    Py_TYPE(self)->tp_free(self);
}

/* Big-endian longs: times and numbers in rows and row keys */

enum { LONG_BYTES = 8 };

static inline long long read_long(const char *bytes) {
    unsigned long long value = 0;
    for (int at = 0; at < LONG_BYTES; at++)
        value = value << 8 | (unsigned char)bytes[at];
    return (long long)value;
}

static inline void write_long(char *bytes, long long number) {
    unsigned long long left = (unsigned long long)number;
    for (int at = LONG_BYTES - 1; at >= 0; at--, left >>= 8)
        bytes[at] = (char)(left & 0xff);
}

#endif
