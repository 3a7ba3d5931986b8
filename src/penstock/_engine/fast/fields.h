/* Fields that both Python and C read and set for each record: C owns them.

   A class in Python inherits from one of these types and adds what only Python needs. Without C it
   inherits from the class with `Plain` before the name, which has the same fields. */

#ifndef PENSTOCK_FIELDS_H
#define PENSTOCK_FIELDS_H

#include "fast.h"

/* Nothing but objects, which are visited and cleared one after the other (fields.c). */

typedef struct {
    PyObject_HEAD
    PyObject *keeps_bytes, *partition, *raw, *stream_time_ms, *topic;
} PositionFields; /* of Position in position.py */

typedef struct {
    PyObject_HEAD
    PyObject *sent;
} ScopeFields; /* of RawScope in position.py */

typedef struct {
    PyObject_HEAD
    PyObject *decoders, *head, *partition_time, *process, *raws;
} QueueFields; /* of RecordQueue in record_queue.py */

typedef struct {
    PyObject_HEAD
    PyObject *expired, *observed;
} ClockFields; /* of RowClock in rows.py */

typedef struct {
    PyObject_HEAD
    PyObject *clock, *interval, *recent;
} RowFields; /* of Rows in rows.py */

extern PyTypeObject position_fields_type, scope_fields_type, queue_fields_type, clock_fields_type,
    row_fields_type;

/* Return a new reference to what is in a field; NULL with an error set if nothing is. */
static inline PyObject *get_field(PyObject *const *field) {
    if (*field == NULL)
        PyErr_SetString(PyExc_AttributeError, "a field is not set");
    return Py_XNewRef(*field);
}

static inline void set_field(PyObject **field, PyObject *value) {
    Py_XSETREF(*field, Py_NewRef(value));
}

/* Read a field that is a long; -1 with an error set if it is none. */
static inline int get_long(PyObject *const *field, long long *number) {
    PyObject *value = get_field(field);
    *number = value == NULL ? -1 : PyLong_AsLongLong(value);
    Py_XDECREF(value);
    return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

#endif
