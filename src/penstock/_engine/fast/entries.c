/* The entries of a record cache, and aggregates folded in it. In Python: entries.py, fold.py.

   A table of entries by key, each of them in two rings: all in the order of their use, and those
   that were changed in the order of their last write. A write changes an entry in place and moves
   it to the end of both. Nothing is decided here: when a cache evicts, and what happens to evicted
   entries, is in record_cache.py. */

#include "fields.h"

/* What Java counts for an entry besides key, value, topic and headers. */
enum { ENTRY_BYTES = 45 };

static PyObject *name_look;
static PyObject *no_time, *no_topic;

/* Rings */

typedef struct Link {
    struct Link *before, *after; /* NULL if it is in no ring */
} Link;

static void make_empty(Link *ring) {
    ring->before = ring->after = ring;
}

static void append(Link *ring, Link *link) {
    link->before = ring->before;
    link->after = ring;
    ring->before->after = link;
    ring->before = link;
}

static void take_out(Link *link) {
    if (link->after == NULL)
        return;
    link->before->after = link->after;
    link->after->before = link->before;
    link->before = link->after = NULL;
}

static void move_to_end(Link *ring, Link *link) {
    take_out(link);
    append(ring, link);
}

/* Entries */

enum { KEY, VALUE, TIMESTAMP, HEADERS, TOPIC, PARTITION, KEPT, FIELDS };

typedef struct {
    PyObject_HEAD
    PyObject *fields[FIELDS]; /* a value, and the record in hand when it was written */
    PyObject *decoded;        /* what was made of the value, NULL if it was not asked for */
    Py_ssize_t size;
    Link use, change;
} Entry;

static Entry *by_use(Link *link) {
    return (Entry *)((char *)link - offsetof(Entry, use));
}

static Entry *by_change(Link *link) {
    return (Entry *)((char *)link - offsetof(Entry, change));
}

/* Only of an entry that is in no ring any more: this may run Python. */
static void free_entry(PyObject *self) {
    Entry *entry = (Entry *)self;
    for (int field = 0; field < FIELDS; field++)
        Py_XDECREF(entry->fields[field]);
    Py_XDECREF(entry->decoded);
    PyObject_Free(self);
}

static PyTypeObject entry_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.Entry",
    .tp_basicsize = sizeof(Entry),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = free_entry,
};

/* Fill an empty tuple with what an entry holds. */
static void fill_in(PyObject *change, Entry *entry) {
    for (int field = 0; field < FIELDS; field++)
        PyTuple_SET_ITEM(change, field, Py_NewRef(entry->fields[field]));
}

/* The budget */

typedef struct {
    PyObject_HEAD
    long long limit_bytes, used_bytes;
} Budget;

static int init_budget(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"limit_bytes", NULL};
    Budget *budget = (Budget *)self;
    budget->used_bytes = 0;
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "L", names, &budget->limit_bytes) ? 0
                                                                                              : -1;
}

static PyMemberDef budget_members[] = {
    {"limit_bytes", T_LONGLONG, offsetof(Budget, limit_bytes), 0, NULL},
    {"used_bytes", T_LONGLONG, offsetof(Budget, used_bytes), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject budget_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.CacheBudget",
    .tp_doc = "The bytes that the caches of one thread may hold together, and those that they hold.",
    .tp_basicsize = sizeof(Budget),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = init_budget,
    .tp_members = budget_members,
};

/* The table */

typedef struct {
    PyObject_HEAD
    PyObject *by_key;
    PositionFields *position;
    PyObject *miss, *note_new, *give_way;
    PyObject *decode; /* NULL if values are not looked at */
    Budget *budget;
    long long used_bytes;
    Py_ssize_t entry_bytes; /* what is counted for an entry besides what it holds */
    int keeps_bytes;
    Link used, changed;
} Table;

static PyObject *new_table(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", "", "", "", "", "", NULL}; /* none has a name to be given by */
    PyObject *budget, *position, *miss, *note_new, *give_way;
    Py_ssize_t key_bytes = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O!OOO|n", names, &budget_type, &budget,
                                     &position_fields_type, &position, &miss, &note_new, &give_way,
                                     &key_bytes))
        return NULL;
    if (key_bytes < 0 || key_bytes > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "the bytes added to keys must be from 0 to 2**31 - 1");
        return NULL;
    }
    PyObject *keeps = get_field(&((PositionFields *)position)->keeps_bytes);
    int keeps_bytes = keeps == NULL ? -1 : PyObject_IsTrue(keeps);
    Py_XDECREF(keeps);
    PyObject *by_key = keeps_bytes < 0 ? NULL : PyDict_New();
    Table *table = by_key == NULL ? NULL : (Table *)type->tp_alloc(type, 0);
    if (table == NULL) {
        Py_XDECREF(by_key);
        return NULL;
    }
    table->by_key = by_key;
    table->keeps_bytes = keeps_bytes;
    table->entry_bytes = ENTRY_BYTES + key_bytes;
    table->budget = (Budget *)Py_NewRef(budget);
    table->position = (PositionFields *)Py_NewRef(position);
    table->miss = Py_NewRef(miss);
    table->note_new = Py_NewRef(note_new);
    table->give_way = Py_NewRef(give_way);
    make_empty(&table->used);
    make_empty(&table->changed);
    return (PyObject *)table;
}

static int visit_table(PyObject *self, visitproc visit, void *arg) {
    Table *table = (Table *)self;
    Py_VISIT(table->by_key);
    Py_VISIT(table->position);
    Py_VISIT(table->miss);
    Py_VISIT(table->note_new);
    Py_VISIT(table->give_way);
    Py_VISIT(table->decode);
    return 0;
}

static void drop_all(Table *table) {
    table->used_bytes = 0;
    make_empty(&table->used);
    make_empty(&table->changed);
    PyDict_Clear(table->by_key);
}

static int clear_table(PyObject *self) {
    Table *table = (Table *)self;
    drop_all(table);
    Py_CLEAR(table->position);
    Py_CLEAR(table->miss);
    Py_CLEAR(table->note_new);
    Py_CLEAR(table->give_way);
    Py_CLEAR(table->decode);
    return 0;
}

static void free_table(PyObject *self) {
    PyObject_GC_UnTrack(self);
    clear_table(self);
    Py_CLEAR(((Table *)self)->by_key);
    Py_CLEAR(((Table *)self)->budget);
    Py_TYPE(self)->tp_free(self);
}

static Entry *find(Table *table, PyObject *key) {
    return (Entry *)PyDict_GetItemWithError(table->by_key, key);
}

/* Its fields are released last: that may run Python. */
static int remove_entry(Table *table, Entry *entry) {
    take_out(&entry->use);
    take_out(&entry->change);
    table->used_bytes -= entry->size;
    Py_INCREF(entry);
    int failed = PyDict_DelItem(table->by_key, entry->fields[KEY]);
    Py_DECREF(entry);
    return failed;
}

/* Count bytes; return -1 with an error set if the sum is too large. */
static int count(Table *table, Py_ssize_t size) {
    long long used, of_all;
    if (__builtin_add_overflow(table->used_bytes, size, &used) ||
        __builtin_add_overflow(table->budget->used_bytes, size, &of_all)) {
        PyErr_SetString(PyExc_OverflowError, "a cache must hold less than 2**63 bytes");
        return -1;
    }
    table->used_bytes = used;
    table->budget->used_bytes = of_all;
    return 0;
}

static int give_way_if_needed(Table *table) {
    if (table->budget->used_bytes <= table->budget->limit_bytes)
        return 0;
    PyObject *nothing = PyObject_CallNoArgs(table->give_way);
    Py_XDECREF(nothing);
    return nothing == NULL ? -1 : 0;
}

static void release_all(PyObject *fields[FIELDS]) {
    for (int field = 0; field < FIELDS; field++)
        Py_XDECREF(fields[field]);
}

/* Return the entry of a key, a new and empty one if it has none; NULL if that failed. */
static Entry *find_or_add(Table *table, PyObject *key) {
    Entry *entry = find(table, key);
    if (entry != NULL || PyErr_Occurred())
        return entry;
    entry = PyObject_New(Entry, &entry_type);
    if (entry == NULL)
        return NULL;
    memset(entry->fields, 0, sizeof(entry->fields));
    entry->decoded = NULL;
    entry->size = 0;
    entry->use = entry->change = (Link){NULL, NULL};
    int failed = PyDict_SetItem(table->by_key, key, (PyObject *)entry);
    Py_DECREF(entry);
    return failed ? NULL : entry;
}

/* Put fields into the entry of their key, which is then used last, and written last if `changes`.
   `fields` are then the old ones and `decoded` what was made of the old value: the caller releases
   them last, since that may run Python. Nothing here does: keys are bytes, and no subclass. Return
   1 if the key is new, 0 if it is not, -1 if that failed. */
static int put(Table *table, PyObject *fields[FIELDS], PyObject **decoded, Py_ssize_t size,
               int changes) {
    Entry *entry = find_or_add(table, fields[KEY]);
    if (entry == NULL)
        return -1;
    int is_new = entry->use.after == NULL;
    if (count(table, size - entry->size) < 0) {
        if (is_new)
            PyDict_DelItem(table->by_key, fields[KEY]);
        return -1;
    }
    for (int field = 0; field < FIELDS; field++) {
        PyObject *old = entry->fields[field];
        entry->fields[field] = fields[field];
        fields[field] = old;
    }
    *decoded = entry->decoded;
    entry->decoded = NULL;
    entry->size = size;
    move_to_end(&table->used, &entry->use);
    if (changes)
        move_to_end(&table->changed, &entry->change);
    return is_new;
}

static PyObject *found_or_missed(Table *table, PyObject *key, int counts_as_use) {
    Entry *entry = find(table, key);
    if (entry == NULL)
        return PyErr_Occurred() ? NULL : PyObject_CallOneArg(table->miss, key);
    if (counts_as_use) {
        move_to_end(&table->used, &entry->use);
    }
    return Py_NewRef(entry->fields[VALUE]);
}

static PyObject *get(PyObject *self, PyObject *key) {
    return found_or_missed((Table *)self, key, 1);
}

static PyObject *peek(PyObject *self, PyObject *key) {
    return found_or_missed((Table *)self, key, 0);
}

/* Return what `decode` makes of the value of an entry; keep it with the entry as long as the value
   stays. */
static PyObject *decoded_value(Table *table, Entry *entry) {
    PyObject *value = entry->fields[VALUE];
    if (entry->decoded != NULL || value == Py_None)
        return Py_NewRef(value == Py_None ? value : entry->decoded);
    Py_INCREF(entry);
    Py_INCREF(value);
    PyObject *decoded = PyObject_CallOneArg(table->decode, value);
    if (decoded != NULL && entry->fields[VALUE] == value)
        Py_XSETREF(entry->decoded, Py_NewRef(decoded));
    Py_DECREF(value);
    Py_DECREF(entry);
    return decoded;
}

static PyObject *look(PyObject *self, PyObject *key) {
    Table *table = (Table *)self;
    if (table->decode == NULL) {
        PyErr_SetString(PyExc_ValueError, "nothing decodes the values");
        return NULL;
    }
    Entry *entry = find(table, key);
    if (entry != NULL) {
        move_to_end(&table->used, &entry->use);
        return decoded_value(table, entry);
    }
    PyObject *value = PyErr_Occurred() ? NULL : PyObject_CallOneArg(table->miss, key);
    if (value == NULL || value == Py_None)
        return value;
    entry = find(table, key); /* it may be kept now */
    PyObject *decoded = entry != NULL      ? decoded_value(table, entry)
                        : PyErr_Occurred() ? NULL
                                           : PyObject_CallOneArg(table->decode, value);
    Py_DECREF(value);
    return decoded;
}

static PyObject *decoding(PyObject *self, PyObject *decode) {
    Table *table = (Table *)self;
    int fits = table->decode == NULL ? 1 : PyObject_RichCompareBool(table->decode, decode, Py_EQ);
    if (fits <= 0) {
        if (fits == 0)
            PyErr_SetString(PyExc_ValueError, "values are decoded in one way");
        return NULL;
    }
    if (table->decode == NULL) /* the first stays: it may be in use */
        table->decode = Py_NewRef(decode);
    return PyObject_GetAttr(self, name_look);
}

static int are_bytes(PyObject *key, PyObject *value) {
    if (PyBytes_Check(key) && (value == Py_None || PyBytes_Check(value)))
        return 1;
    PyErr_SetString(PyExc_TypeError, "a cache holds bytes");
    return 0;
}

static Py_ssize_t size_of_headers(PyObject *headers) {
    Py_ssize_t size = 0;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(headers); at++) {
        PyObject *pair = PyTuple_GET_ITEM(headers, at);
        if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
            PyErr_SetString(PyExc_TypeError, "a header is a name and a value");
            return -1;
        }
        PyObject *value = PyTuple_GET_ITEM(pair, 1);
        Py_ssize_t name_size = PyObject_Size(PyTuple_GET_ITEM(pair, 0));
        Py_ssize_t value_size = name_size < 0 || value == Py_None ? 0 : PyObject_Size(value);
        if (name_size < 0 || value_size < 0)
            return -1;
        if (name_size > INT_MAX - size || value_size > INT_MAX - size - name_size) {
            PyErr_SetString(PyExc_OverflowError, "the headers of a record must be below 2 GB");
            return -1;
        }
        size += name_size + value_size;
    }
    return size;
}

/* Return the bytes counted for an entry with these fields; -1 if headers have a wrong type. */
static Py_ssize_t size_of(Table *table, PyObject *fields[FIELDS]) {
    Py_ssize_t size = table->entry_bytes + PyBytes_GET_SIZE(fields[KEY]);
    if (fields[VALUE] != Py_None)
        size += PyBytes_GET_SIZE(fields[VALUE]);
    if (PyUnicode_Check(fields[TOPIC]))
        size += PyUnicode_GET_LENGTH(fields[TOPIC]);
    if (!PyTuple_Check(fields[HEADERS])) {
        PyErr_SetString(PyExc_TypeError, "headers are a tuple");
        return -1;
    }
    Py_ssize_t of_headers = size_of_headers(fields[HEADERS]);
    return of_headers < 0 ? -1 : size + of_headers;
}

/* Return a new reference to the bytes of a key: a subclass may compare them in Python. */
static PyObject *plain_key(PyObject *key) {
    return PyBytes_CheckExact(key)
               ? Py_NewRef(key)
               : PyBytes_FromStringAndSize(PyBytes_AS_STRING(key), PyBytes_GET_SIZE(key));
}

/* Hold a value on behalf of the record in hand; return 0, -1 if that failed. */
static int hold(Table *table, PyObject *key, PyObject *value, PyObject *timestamp,
                PyObject *headers) {
    if (!are_bytes(key, value))
        return -1;
    PyObject *topic = get_field(&table->position->topic);
    PyObject *partition = topic == NULL ? NULL : get_field(&table->position->partition);
    PyObject *kept = partition == NULL ? NULL : get_field(&table->position->raw);
    if (kept != NULL && PyTuple_Check(kept) && PyTuple_GET_SIZE(kept) && !table->keeps_bytes)
        Py_SETREF(kept, Py_NewRef(PyTuple_GET_ITEM(kept, 0)));
    PyObject *fields[FIELDS] = {
        kept == NULL ? NULL : plain_key(key), Py_NewRef(value), Py_NewRef(timestamp),
        Py_NewRef(headers), topic, partition, kept,
    };
    PyObject *decoded = NULL;
    Py_ssize_t size = fields[KEY] == NULL ? -1 : size_of(table, fields);
    int is_new = size < 0 ? -1 : put(table, fields, &decoded, size, 1);
    int failed = is_new < 0;
    if (is_new > 0 && table->note_new != Py_None) {
        PyObject *nothing = PyObject_CallOneArg(table->note_new, key);
        failed = nothing == NULL;
        Py_XDECREF(nothing);
    }
    failed = failed || give_way_if_needed(table) < 0;
    Py_XDECREF(decoded);
    release_all(fields);
    return failed ? -1 : 0;
}

static PyObject *write_(PyObject *self, PyObject *const *given, Py_ssize_t given_count) {
    if (given_count != 4) {
        PyErr_SetString(PyExc_TypeError, "write(key, value, timestamp, headers)");
        return NULL;
    }
    if (hold((Table *)self, given[0], given[1], given[2], given[3]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *keep(PyObject *self, PyObject *const *given, Py_ssize_t given_count) {
    Table *table = (Table *)self;
    if (given_count != 2) {
        PyErr_SetString(PyExc_TypeError, "keep(key, value)");
        return NULL;
    }
    PyObject *key = are_bytes(given[0], given[1]) ? plain_key(given[0]) : NULL;
    if (key == NULL)
        return NULL;
    int is_there = PyDict_Contains(table->by_key, key);
    if (is_there > 0)
        PyErr_SetString(PyExc_ValueError, "what is kept must not be there yet");
    PyObject *fields[FIELDS] = {
        key, Py_NewRef(given[1]), Py_NewRef(no_time), Py_NewRef(no_headers),
        Py_NewRef(no_topic), Py_NewRef(no_time), Py_NewRef(Py_None),
    };
    PyObject *decoded = NULL;
    int failed = is_there != 0 || put(table, fields, &decoded, size_of(table, fields), 0) < 0 ||
                 give_way_if_needed(table) < 0;
    release_all(fields);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *used(PyObject *self, PyObject *keys) {
    Table *table = (Table *)self;
    PyObject *pairs = PyList_New(0), *key;
    PyObject *iterator = pairs == NULL ? NULL : PyObject_GetIter(keys);
    while (pairs != NULL && iterator != NULL && (key = PyIter_Next(iterator)) != NULL) {
        Entry *entry = find(table, key);
        PyObject *pair = NULL;
        if (entry != NULL) {
            move_to_end(&table->used, &entry->use);
            PyObject *value = Py_NewRef(entry->fields[VALUE]); /* the collector may run */
            pair = PyTuple_Pack(2, key, value);
            Py_DECREF(value);
        } else if (!PyErr_Occurred()) {
            PyErr_SetObject(PyExc_KeyError, key);
        }
        Py_DECREF(key);
        if (pair == NULL || PyList_Append(pairs, pair) < 0)
            Py_CLEAR(pairs);
        Py_XDECREF(pair);
    }
    Py_XDECREF(iterator);
    if (PyErr_Occurred())
        Py_CLEAR(pairs);
    return pairs;
}

static PyObject *in_order_of_use(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Table *table = (Table *)self;
    PyObject *list = PyList_New(0);
    for (Link *at = table->used.after; list != NULL && at != &table->used; at = at->after)
        if (PyList_Append(list, by_use(at)->fields[KEY]) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *pop_oldest(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Table *table = (Table *)self;
    PyObject *change = PyTuple_New(FIELDS); /* first: the collector may run, and drop entries */
    if (change == NULL)
        return NULL;
    if (table->used.after == &table->used) {
        Py_DECREF(change);
        PyErr_SetString(PyExc_KeyError, "there are no entries");
        return NULL;
    }
    Entry *oldest = by_use(table->used.after);
    if (oldest->change.after == NULL)
        Py_SETREF(change, Py_NewRef(Py_None));
    else
        fill_in(change, oldest);
    if (remove_entry(table, oldest) < 0)
        Py_CLEAR(change);
    return change;
}

static PyObject *take_changes(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Table *table = (Table *)self;
    PyObject *changes = PyList_New(0);
    while (changes != NULL && table->changed.after != &table->changed) {
        PyObject *change = PyTuple_New(FIELDS); /* the collector may run, and take the changes */
        if (change != NULL && table->changed.after != &table->changed) {
            Entry *entry = by_change(table->changed.after);
            take_out(&entry->change);
            fill_in(change, entry);
            if (PyList_Append(changes, change) < 0)
                Py_CLEAR(changes);
        } else if (change == NULL) {
            Py_CLEAR(changes);
        }
        Py_XDECREF(change);
    }
    return changes;
}

static PyObject *drop_deleted(PyObject *self, PyObject *key) {
    Table *table = (Table *)self;
    Entry *entry = find(table, key);
    if (entry == NULL && PyErr_Occurred())
        return NULL;
    if (entry != NULL && entry->change.after == NULL && entry->fields[VALUE] == Py_None &&
        remove_entry(table, entry) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *clear(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Table *table = (Table *)self;
    table->budget->used_bytes -= table->used_bytes;
    drop_all(table);
    Py_RETURN_NONE;
}

static Py_ssize_t length(PyObject *self) {
    return PyDict_GET_SIZE(((Table *)self)->by_key);
}

static int contains(PyObject *self, PyObject *key) {
    return PyDict_Contains(((Table *)self)->by_key, key);
}

static PyMethodDef table_methods[] = {
    {"get", get, METH_O, NULL},
    {"peek", peek, METH_O, NULL},
    {"look", look, METH_O, NULL},
    {"decoding", decoding, METH_O, NULL},
    {"write", FAST(write_), METH_FASTCALL, NULL},
    {"keep", FAST(keep), METH_FASTCALL, NULL},
    {"used", used, METH_O, NULL},
    {"in_order_of_use", in_order_of_use, METH_NOARGS, NULL},
    {"pop_oldest", pop_oldest, METH_NOARGS, NULL},
    {"take_changes", take_changes, METH_NOARGS, NULL},
    {"drop_deleted", drop_deleted, METH_O, NULL},
    {"clear", clear, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef table_members[] = {
    {"used_bytes", T_LONGLONG, offsetof(Table, used_bytes), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PySequenceMethods table_as_sequence = {.sq_length = length, .sq_contains = contains};

static PyTypeObject table_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.Entries",
    .tp_doc = "The entries of one cache.",
    .tp_basicsize = sizeof(Table),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_table,
    .tp_dealloc = free_table,
    .tp_traverse = visit_table,
    .tp_clear = clear_table,
    .tp_methods = table_methods,
    .tp_members = table_members,
    .tp_as_sequence = &table_as_sequence,
};

/* Folding */

enum { ROW_OF_LONG_BYTES = 2 * LONG_BYTES };

typedef struct {
    PyObject_HEAD
    Table *table;
    PyObject *decode_row, *put, *initializer, *aggregator;
    int of_longs; /* rows are a time and a long */
    int counts;   /* the aggregator adds one, which needs no call */
} Fold;

static PyObject *row_of(long long timestamp, long long number) {
    char row[ROW_OF_LONG_BYTES];
    write_long(row, timestamp);
    write_long(row + LONG_BYTES, number);
    return PyBytes_FromStringAndSize(row, ROW_OF_LONG_BYTES);
}

/* Return a row of a time and a value; NULL, without an error, if it is no row of longs. */
static PyObject *row_of_longs(PyObject *value, long long timestamp) {
    int overflow = 0;
    if (!PyLong_CheckExact(value))
        return NULL;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow ? NULL : row_of(timestamp, number);
}

/* An engine of the user's may return other buffers than bytes: they are decoded in Python. */
static int is_row_of_longs(Fold *fold, PyObject *row) {
    return fold->of_longs && PyBytes_Check(row) && PyBytes_GET_SIZE(row) == ROW_OF_LONG_BYTES;
}

/* Return the row of the same count and one more; NULL, without an error, if it must be called. */
static PyObject *counted(Fold *fold, PyObject *row, PyObject *timestamp) {
    if (!fold->counts || !is_row_of_longs(fold, row))
        return NULL;
    long long number = read_long(PyBytes_AS_STRING(row) + LONG_BYTES);
    long long stored = read_long(PyBytes_AS_STRING(row)), time = PyLong_AsLongLong(timestamp);
    if (PyErr_Occurred() || number == PY_LLONG_MAX) {
        PyErr_Clear();
        return NULL;
    }
    return row_of(stored > time ? stored : time, number + 1);
}

/* Return the aggregate of a row and, in `timestamp`, its time. */
static PyObject *aggregate_of(Fold *fold, PyObject *row, long long *timestamp) {
    if (is_row_of_longs(fold, row)) {
        *timestamp = read_long(PyBytes_AS_STRING(row));
        return PyLong_FromLongLong(read_long(PyBytes_AS_STRING(row) + LONG_BYTES));
    }
    PyObject *pair = PyObject_CallOneArg(fold->decode_row, row), *aggregate = NULL;
    if (pair != NULL && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2) {
        *timestamp = PyLong_AsLongLong(PyTuple_GET_ITEM(pair, 0));
        aggregate = PyErr_Occurred() ? NULL : Py_NewRef(PyTuple_GET_ITEM(pair, 1));
    } else if (pair != NULL) {
        PyErr_SetString(PyExc_TypeError, "a row is a time and a value");
    }
    Py_XDECREF(pair);
    return aggregate;
}

/* Store what an aggregate has become. */
static int store(Fold *fold, PyObject *key, PyObject *value, PyObject *value_timestamp,
                 PyObject *timestamp, PyObject *headers) {
    PyObject *row = NULL;
    if (fold->of_longs) {
        long long time = PyLong_AsLongLong(value_timestamp);
        row = PyErr_Occurred() ? NULL : row_of_longs(value, time);
        PyErr_Clear();
    }
    if (row != NULL) {
        int failed = hold(fold->table, key, row, timestamp, headers);
        Py_DECREF(row);
        return failed;
    }
    PyObject *const given[] = {key, value, value_timestamp, timestamp, headers};
    PyObject *nothing = PyObject_Vectorcall(fold->put, given, 5, NULL);
    Py_XDECREF(nothing);
    return nothing == NULL ? -1 : 0;
}

static PyObject *fold_(PyObject *self, PyObject *const *given, Py_ssize_t given_count) {
    Fold *fold = (Fold *)self;
    if (given_count != 5) {
        PyErr_SetString(PyExc_TypeError, "fold(raw_key, key, value, timestamp, headers)");
        return NULL;
    }
    PyObject *raw_key = given[0], *timestamp = given[3], *aggregate;
    PyObject *row = found_or_missed(fold->table, raw_key, 0);
    if (row == NULL)
        return NULL;
    PyObject *one_more = counted(fold, row, timestamp);
    if (one_more != NULL) {
        int failed = hold(fold->table, raw_key, one_more, timestamp, given[4]);
        Py_DECREF(row);
        Py_DECREF(one_more);
        return failed ? NULL : Py_NewRef(Py_None);
    }
    long long stored = -1;
    aggregate = row == Py_None ? Py_NewRef(row) : aggregate_of(fold, row, &stored);
    Py_DECREF(row);
    long long time = aggregate == NULL ? -1 : PyLong_AsLongLong(timestamp);
    if (aggregate == NULL || PyErr_Occurred()) {
        Py_XDECREF(aggregate);
        return NULL;
    }
    PyObject *value_timestamp = timestamp;
    if (aggregate == Py_None)
        Py_SETREF(aggregate, PyObject_CallNoArgs(fold->initializer));
    else if (stored > time)
        value_timestamp = PyLong_FromLongLong(stored);
    PyObject *const of_record[] = {given[1], given[2], aggregate};
    PyObject *new = aggregate == NULL || value_timestamp == NULL
                        ? NULL
                        : PyObject_Vectorcall(fold->aggregator, of_record, 3, NULL);
    Py_XDECREF(aggregate);
    int failed = new == NULL ||
                 store(fold, raw_key, new, value_timestamp, timestamp, given[4]) < 0;
    Py_XDECREF(new);
    if (value_timestamp != timestamp)
        Py_XDECREF(value_timestamp);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *new_fold(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"", "", "", "", "", "", "", NULL}; /* none has a name to be given by */
    PyObject *table, *decode_row, *put, *initializer, *aggregator;
    int of_longs, counts;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!OOOOpp", names, &table_type, &table,
                                     &decode_row, &put, &initializer, &aggregator, &of_longs,
                                     &counts))
        return NULL;
    Fold *fold = (Fold *)type->tp_alloc(type, 0);
    if (fold == NULL)
        return NULL;
    fold->table = (Table *)Py_NewRef(table);
    fold->decode_row = Py_NewRef(decode_row);
    fold->put = Py_NewRef(put);
    fold->initializer = Py_NewRef(initializer);
    fold->aggregator = Py_NewRef(aggregator);
    fold->of_longs = of_longs;
    fold->counts = counts;
    return (PyObject *)fold;
}

static int visit_fold(PyObject *self, visitproc visit, void *arg) {
    Fold *fold = (Fold *)self;
    Py_VISIT(fold->table);
    Py_VISIT(fold->decode_row);
    Py_VISIT(fold->put);
    Py_VISIT(fold->initializer);
    Py_VISIT(fold->aggregator);
    return 0;
}

static int clear_fold(PyObject *self) {
    Fold *fold = (Fold *)self;
    Py_CLEAR(fold->table);
    Py_CLEAR(fold->decode_row);
    Py_CLEAR(fold->put);
    Py_CLEAR(fold->initializer);
    Py_CLEAR(fold->aggregator);
    return 0;
}

static PyMethodDef fold_methods[] = {
    {"fold", FAST(fold_), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject fold_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "penstock._engine.fast._fast.Fold",
    .tp_doc = "Folds records into the aggregates that a cache holds.",
    .tp_basicsize = sizeof(Fold),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_fold,
    .tp_dealloc = free_collected,
    .tp_traverse = visit_fold,
    .tp_clear = clear_fold,
    .tp_methods = fold_methods,
};

/* The module */

int add_entries(PyObject *module) {
    name_look = PyUnicode_InternFromString("look");
    no_time = PyLong_FromLong(-1);
    no_topic = PyUnicode_InternFromString("");
    if (!name_look || !no_time || !no_topic)
        return -1;
    return PyType_Ready(&entry_type) < 0 || PyModule_AddType(module, &budget_type) < 0 ||
                   PyModule_AddType(module, &table_type) < 0 ||
                   PyModule_AddType(module, &fold_type) < 0
               ? -1
               : 0;
}
