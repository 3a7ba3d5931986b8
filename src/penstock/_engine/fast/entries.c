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

static PyObject *change_of(Entry *entry) {
    PyObject *change = PyTuple_New(FIELDS);
    if (change != NULL)
        for (int field = 0; field < FIELDS; field++)
            PyTuple_SET_ITEM(change, field, Py_NewRef(entry->fields[field]));
    return change;
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

static int remove_entry(Table *table, Entry *entry) {
    take_out(&entry->use);
    take_out(&entry->change);
    table->used_bytes -= entry->size;
    PyObject *key = Py_NewRef(entry->fields[KEY]);
    int failed = PyDict_DelItem(table->by_key, key);
    Py_DECREF(key);
    return failed;
}

static void count(Table *table, Py_ssize_t size) {
    table->used_bytes += size;
    table->budget->used_bytes += size;
}

static int give_way_if_needed(Table *table) {
    if (table->budget->used_bytes <= table->budget->limit_bytes)
        return 0;
    PyObject *nothing = PyObject_CallNoArgs(table->give_way);
    Py_XDECREF(nothing);
    return nothing == NULL ? -1 : 0;
}

/* Put new fields, whose references are taken over, into an entry, or into a new one of its key;
   it is then used last. Return it; NULL if that failed. */
static Entry *put(Table *table, Entry *entry, PyObject *fields[FIELDS], Py_ssize_t size) {
    PyObject *old[FIELDS] = {NULL};
    if (entry == NULL) {
        entry = PyObject_New(Entry, &entry_type);
        if (entry != NULL) {
            memset(entry->fields, 0, sizeof(entry->fields));
            entry->decoded = NULL;
            entry->use = entry->change = (Link){NULL, NULL};
            int failed = PyDict_SetItem(table->by_key, fields[KEY], (PyObject *)entry);
            Py_DECREF(entry);
            if (failed)
                entry = NULL;
        }
        if (entry == NULL) {
            for (int field = 0; field < FIELDS; field++)
                Py_XDECREF(fields[field]);
            return NULL;
        }
    }
    memcpy(old, entry->fields, sizeof(old));
    memcpy(entry->fields, fields, sizeof(old));
    PyObject *decoded = entry->decoded;
    entry->decoded = NULL;
    entry->size = size;
    move_to_end(&table->used, &entry->use);
    Py_XDECREF(decoded);
    for (int field = 0; field < FIELDS; field++)
        Py_XDECREF(old[field]);
    return entry;
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
    Py_XSETREF(table->decode, Py_NewRef(decode));
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
        Py_ssize_t value_size = value == Py_None ? 0 : PyObject_Size(value);
        if (name_size < 0 || value_size < 0)
            return -1;
        size += name_size + value_size;
    }
    return size;
}

/* Return the bytes counted for an entry with these fields; -1 if one has a wrong type. */
static Py_ssize_t size_of(Table *table, PyObject *fields[FIELDS]) {
    if (!are_bytes(fields[KEY], fields[VALUE]))
        return -1;
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

/* Hold a value on behalf of the record in hand; return 0, -1 if that failed. */
static int hold(Table *table, PyObject *key, PyObject *value, PyObject *timestamp,
                PyObject *headers) {
    PyObject *topic = get_field(&table->position->topic);
    PyObject *partition = get_field(&table->position->partition);
    PyObject *kept = get_field(&table->position->raw);
    if (kept != NULL && PyTuple_Check(kept) && PyTuple_GET_SIZE(kept) && !table->keeps_bytes)
        Py_SETREF(kept, Py_NewRef(PyTuple_GET_ITEM(kept, 0)));
    PyObject *fields[FIELDS] = {
        Py_NewRef(key), Py_NewRef(value), Py_NewRef(timestamp), Py_NewRef(headers),
        topic, partition, kept,
    };
    Py_ssize_t size = topic && partition && kept ? size_of(table, fields) : -1;
    Entry *entry = size < 0 ? NULL : find(table, key);
    if (PyErr_Occurred()) {
        for (int field = 0; field < FIELDS; field++)
            Py_XDECREF(fields[field]);
        return -1;
    }
    int is_new = entry == NULL;
    Py_ssize_t grown = is_new ? size : size - entry->size;
    entry = put(table, entry, fields, size);
    if (entry == NULL)
        return -1;
    move_to_end(&table->changed, &entry->change);
    count(table, grown);
    if (is_new && table->note_new != Py_None) {
        PyObject *nothing = PyObject_CallOneArg(table->note_new, key);
        if (nothing == NULL)
            return -1;
        Py_DECREF(nothing);
    }
    return give_way_if_needed(table);
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
    if (!are_bytes(given[0], given[1]))
        return NULL;
    if (PyDict_Contains(table->by_key, given[0])) {
        PyErr_SetString(PyExc_ValueError, "what is kept must not be there yet");
        return NULL;
    }
    PyObject *fields[FIELDS] = {
        Py_NewRef(given[0]), Py_NewRef(given[1]), Py_NewRef(no_time), Py_NewRef(no_headers),
        Py_NewRef(no_topic), Py_NewRef(no_time), Py_NewRef(Py_None),
    };
    Py_ssize_t size = size_of(table, fields);
    if (put(table, NULL, fields, size) == NULL)
        return NULL;
    count(table, size);
    if (give_way_if_needed(table) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *used(PyObject *self, PyObject *keys) {
    Table *table = (Table *)self;
    PyObject *pairs = PyList_New(0), *iterator = PyObject_GetIter(keys), *key;
    while (pairs != NULL && iterator != NULL && (key = PyIter_Next(iterator)) != NULL) {
        Entry *entry = find(table, key);
        PyObject *pair = NULL;
        if (entry != NULL) {
            move_to_end(&table->used, &entry->use);
            pair = PyTuple_Pack(2, key, entry->fields[VALUE]);
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
    if (table->used.after == &table->used) {
        PyErr_SetString(PyExc_KeyError, "there are no entries");
        return NULL;
    }
    Entry *oldest = (Entry *)Py_NewRef(by_use(table->used.after));
    PyObject *change = oldest->change.after == NULL ? Py_NewRef(Py_None) : change_of(oldest);
    if (change != NULL && remove_entry(table, oldest) < 0)
        Py_CLEAR(change);
    Py_DECREF(oldest);
    return change;
}

static PyObject *take_changes(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Table *table = (Table *)self;
    PyObject *changes = PyList_New(0);
    while (changes != NULL && table->changed.after != &table->changed) {
        Entry *entry = (Entry *)Py_NewRef(by_change(table->changed.after));
        take_out(&entry->change);
        PyObject *change = change_of(entry);
        if (change == NULL || PyList_Append(changes, change) < 0)
            Py_CLEAR(changes);
        Py_XDECREF(change);
        Py_DECREF(entry);
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
