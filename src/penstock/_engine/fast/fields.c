/* The types whose fields belong to C. In Python: the classes named in fields.h. */

#include "fields.h"

static int visit_fields(PyObject *self, size_t count, visitproc visit, void *arg) {
    PyObject **fields = (PyObject **)(self + 1);
    for (size_t at = 0; at < count; at++)
        Py_VISIT(fields[at]);
    return 0;
}

static int clear_fields(PyObject *self, size_t count) {
    PyObject **fields = (PyObject **)(self + 1);
    for (size_t at = 0; at < count; at++)
        Py_CLEAR(fields[at]);
    return 0;
}

#define COUNT(Fields) ((sizeof(Fields) - sizeof(PyObject)) / sizeof(PyObject *))
#define FIELD(Fields, name) {#name, T_OBJECT_EX, offsetof(Fields, name), 0, NULL}
#define END {NULL, 0, 0, 0, NULL}

/* Define the type of a struct of fields, whose members are in the array `members`. */
#define DEFINE(Fields, type, members)                                                              \
    static int visit_##type(PyObject *self, visitproc visit, void *arg) {                          \
        return visit_fields(self, COUNT(Fields), visit, arg);                                      \
    }                                                                                              \
    static int clear_##type(PyObject *self) { return clear_fields(self, COUNT(Fields)); }          \
    static void free_##type(PyObject *self) {                                                      \
        PyObject_GC_UnTrack(self);                                                                 \
        clear_##type(self);                                                                        \
        Py_TYPE(self)->tp_free(self);                                                              \
    }                                                                                              \
    PyTypeObject type = {                                                                          \
        PyVarObject_HEAD_INIT(NULL, 0)                                                             \
        .tp_name = "penstock._engine.fast._fast." #Fields,                                         \
        .tp_doc = "Fields that C reads and sets for each record.",                                 \
        .tp_basicsize = sizeof(Fields),                                                            \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,                 \
        .tp_new = PyType_GenericNew,                                                               \
        .tp_dealloc = free_##type,                                                                 \
        .tp_traverse = visit_##type,                                                               \
        .tp_clear = clear_##type,                                                                  \
        .tp_members = members,                                                                     \
    };

static PyMemberDef of_position[] = {
    FIELD(PositionFields, keeps_bytes), FIELD(PositionFields, partition),
    FIELD(PositionFields, raw), FIELD(PositionFields, stream_time_ms),
    FIELD(PositionFields, topic), END,
};
static PyMemberDef of_scope[] = {FIELD(ScopeFields, sent), END};
static PyMemberDef of_queue[] = {
    FIELD(QueueFields, decoders), FIELD(QueueFields, head), FIELD(QueueFields, partition_time),
    FIELD(QueueFields, process), FIELD(QueueFields, raws), END,
};
static PyMemberDef of_clock[] = {FIELD(ClockFields, expired), FIELD(ClockFields, observed), END};
static PyMemberDef of_rows[] = {
    FIELD(RowFields, clock), FIELD(RowFields, interval), FIELD(RowFields, recent), END,
};

DEFINE(PositionFields, position_fields_type, of_position)
DEFINE(ScopeFields, scope_fields_type, of_scope)
DEFINE(QueueFields, queue_fields_type, of_queue)
DEFINE(ClockFields, clock_fields_type, of_clock)
DEFINE(RowFields, row_fields_type, of_rows)

int add_fields(PyObject *module) {
    PyTypeObject *types[] = {&position_fields_type, &scope_fields_type, &queue_fields_type,
                             &clock_fields_type, &row_fields_type};
    for (size_t at = 0; at < sizeof(types) / sizeof(types[0]); at++)
        if (PyModule_AddType(module, types[at]) < 0)
            return -1;
    return 0;
}
