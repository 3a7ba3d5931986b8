/* What the parts of the compiled module share: big-endian longs, attributes in `__slots__`, the
   boilerplate of types and functions. Everything else of a part is static in its own file. */

#ifndef PENSTOCK_FAST_H
#define PENSTOCK_FAST_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

/* The module: each part adds its types and functions, and returns -1 with an error set if it
   cannot. */

int add_bulk(PyObject *module);
int add_entries(PyObject *module);
int add_murmur2(PyObject *module);
int add_partition_run(PyObject *module);
int add_recent_rows(PyObject *module);
int add_row_sender(PyObject *module);
int add_sink(PyObject *module);
int add_sizes(PyObject *module);

extern PyObject *no_headers; /* () */

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

/* Attributes of objects whose class has `__slots__`, without a search for their names: for those
   that are read or set for each record.

   A slot knows where the attribute is in objects of the class that it met last. Where a class has
   no such slot, the attribute is found by its name, as everywhere. */

typedef struct {
    PyObject *name;
    PyTypeObject *class;
    Py_ssize_t offset; /* -1 if the class has no such slot */
} Slot;

static inline int name_slot(Slot *slot, const char *name) {
    slot->name = PyUnicode_InternFromString(name);
    return slot->name == NULL ? -1 : 0;
}

/* Find where a class has the attribute. The class is kept: another at its address would have it
   elsewhere. */
static inline void locate_slot(Slot *slot, PyTypeObject *class) {
    PyObject *found = PyObject_GetAttr((PyObject *)class, slot->name);
    PyErr_Clear();
    int is_slot = found != NULL && Py_IS_TYPE(found, &PyMemberDescr_Type) &&
                  ((PyMemberDescrObject *)found)->d_member->type == T_OBJECT_EX;
    slot->offset = is_slot ? ((PyMemberDescrObject *)found)->d_member->offset : -1;
    Py_XDECREF(found);
    Py_XSETREF(slot->class, (PyTypeObject *)Py_NewRef(class));
}

static inline PyObject **place_of(Slot *slot, PyObject *object) {
    if (!Py_IS_TYPE(object, slot->class))
        locate_slot(slot, Py_TYPE(object));
    return slot->offset < 0 ? NULL : (PyObject **)((char *)object + slot->offset);
}

static inline PyObject *get_slot(Slot *slot, PyObject *object) {
    PyObject **place = place_of(slot, object);
    return place == NULL || *place == NULL ? PyObject_GetAttr(object, slot->name)
                                           : Py_NewRef(*place);
}

static inline int set_slot(Slot *slot, PyObject *object, PyObject *value) {
    PyObject **place = place_of(slot, object);
    if (place == NULL)
        return PyObject_SetAttr(object, slot->name, value);
    Py_XSETREF(*place, Py_NewRef(value));
    return 0;
}

/* Read an attribute that is a long; -1 with an error set if it is none. */
static inline int get_long(Slot *slot, PyObject *object, long long *number) {
    PyObject *value = get_slot(slot, object);
    *number = value == NULL ? -1 : PyLong_AsLongLong(value);
    Py_XDECREF(value);
    return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

#endif
