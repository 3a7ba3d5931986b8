/* The compiled module `_fast`: one library of all parts. Python chooses it in choice.py. */

#include "fast.h"

PyObject *no_headers;

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "penstock._engine.fast._fast",
    .m_doc = "The compiled forms of what the engine does for each record.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__fast(void) {
    no_headers = PyTuple_New(0);
    PyObject *module = no_headers == NULL ? NULL : PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    if (add_bulk(module) < 0 || add_columns(module) < 0 || add_entries(module) < 0 ||
        add_fields(module) < 0 || add_flush(module) < 0 || add_lost_floats(module) < 0 ||
        add_murmur2(module) < 0 || add_murmur3(module) < 0 || add_partition_run(module) < 0 ||
        add_recent_rows(module) < 0 || add_record_columns(module) < 0 ||
        add_row_sender(module) < 0 || add_sink(module) < 0 || add_sizes(module) < 0)
        Py_CLEAR(module);
    return module;
}
