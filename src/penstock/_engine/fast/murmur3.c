/* The hash that ties an answer of a foreign-key join to its left row. In Python:
 * foreign_key_hash.py.
 */

#include "fast.h"

static const uint64_t SEED = 104729, C1 = 0x87c37b91114253d5, C2 = 0x4cf5ad432745937f;

static uint64_t rotated(uint64_t word, int by) {
    return word << by | word >> (64 - by);
}

static uint64_t finished(uint64_t word) {
    word = (word ^ word >> 33) * 0xff51afd7ed558ccd;
    word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53;
    return word ^ word >> 33;
}

/* Up to eight bytes, the first one lowest. */
static uint64_t word_of(const unsigned char *data, Py_ssize_t size) {
    uint64_t word = 0;
    for (Py_ssize_t at = 0; at < size; at++)
        word |= (uint64_t)data[at] << 8 * at;
    return word;
}

static void put(unsigned char *target, uint64_t word) {
    for (int at = 7; at >= 0; at--, word >>= 8)
        target[at] = (unsigned char)word;
}

static PyObject *hash_of(PyObject *module, PyObject *given) {
    (void)module;
    if (!PyBytes_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "hash_of(data)");
        return NULL;
    }
    const unsigned char *data = (const unsigned char *)PyBytes_AS_STRING(given);
    Py_ssize_t size = PyBytes_GET_SIZE(given), left = size;
    uint64_t h1 = SEED, h2 = SEED;
    for (; left >= 16; data += 16, left -= 16) {
        h1 ^= rotated(word_of(data, 8) * C1, 31) * C2;
        h1 = (rotated(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= rotated(word_of(data + 8, 8) * C2, 33) * C1;
        h2 = (rotated(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8)
        h2 ^= rotated(word_of(data + 8, left - 8) * C2, 33) * C1;
    if (left > 0)
        h1 ^= rotated(word_of(data, left > 8 ? 8 : left) * C1, 31) * C2;
    h1 ^= (uint64_t)size;
    h2 ^= (uint64_t)size;
    h1 += h2;
    h2 += h1;
    h1 = finished(h1);
    h2 = finished(h2);
    h1 += h2;
    unsigned char result[16];
    put(result, h1);
    put(result + 8, h2 + h1);
    return PyBytes_FromStringAndSize((const char *)result, sizeof result);
}

static PyMethodDef functions[] = {
    {"hash_of", hash_of, METH_O, "Return the 16 bytes of the hash."},
    {NULL, NULL, 0, NULL},
};

int add_murmur3(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
