/* The partition that Kafka's producers choose for a key. In Python: murmur2.py. */

#include "fast.h"

static const uint32_t SEED = 0x9747b28c, FACTOR = 0x5bd1e995;

uint32_t murmur2(const unsigned char *data, Py_ssize_t size) {
    uint32_t hashed = SEED ^ (uint32_t)size;
    for (; size >= 4; data += 4, size -= 4) {
        uint32_t mixed = data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24;
        mixed *= FACTOR;
        mixed = (mixed ^ mixed >> 24) * FACTOR;
        hashed = (hashed * FACTOR) ^ mixed;
    }
    if (size > 0) {
        uint32_t rest = data[0];
        if (size > 1)
            rest |= data[1] << 8;
        if (size > 2)
            rest |= data[2] << 16;
        hashed = (hashed ^ rest) * FACTOR;
    }
    hashed = (hashed ^ hashed >> 13) * FACTOR;
    return hashed ^ hashed >> 15;
}

static PyObject *partition_of(PyObject *module, PyObject *const *given, Py_ssize_t size) {
    (void)module;
    if (size != 2 || !PyBytes_Check(given[0])) {
        PyErr_SetString(PyExc_TypeError, "partition_of(key, partitions)");
        return NULL;
    }
    long partitions = PyLong_AsLong(given[1]);
    if (partitions <= 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "there must be a partition");
        return NULL;
    }
    const unsigned char *key = (const unsigned char *)PyBytes_AS_STRING(given[0]);
    return PyLong_FromLong((murmur2(key, PyBytes_GET_SIZE(given[0])) & 0x7fffffff) % partitions);
}

static PyMethodDef functions[] = {
    {"partition_of", FAST(partition_of), METH_FASTCALL,
     "Return the partition of a key among so many."},
    {NULL, NULL, 0, NULL},
};

int add_murmur2(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
