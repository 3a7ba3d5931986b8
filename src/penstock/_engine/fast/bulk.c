/* Messages from and to librdkafka, many at a time. In Python: bulk.py.

   confluent-kafka owns the clients and does everything that is rare. It makes an object of each
   message that is read, calls a method for each that is written, and takes the interpreter's lock
   for each that has arrived; here that is one call for all of them.

   This library is a plugin of librdkafka as well ("plugin.library.paths"): librdkafka calls it for
   each client that is made with it, and, without the interpreter, for each message that could not
   be written. All functions of librdkafka are looked up in the library that confluent-kafka has
   loaded, so that there is one of it in the process. */

#include "fast.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* The part of librdkafka's stable interface that is used here. */

typedef struct rd_kafka_s rd_kafka_t;
typedef struct rd_kafka_conf_s rd_kafka_conf_t;
typedef struct rd_kafka_event_s rd_kafka_event_t;
typedef struct rd_kafka_headers_s rd_kafka_headers_t;
typedef struct rd_kafka_queue_s rd_kafka_queue_t;
typedef struct rd_kafka_topic_s rd_kafka_topic_t;

typedef struct {
    int err;
    rd_kafka_topic_t *rkt;
    int32_t partition;
    void *payload;
    size_t len;
    void *key;
    size_t key_len;
    int64_t offset;
    void *_private;
} rd_kafka_message_t;

enum { NO_ERROR = 0 };
enum { EVENT_ERROR = 0x8 };
enum { FLAG_COPY = 0x2 };
enum { END, TOPIC, TOPIC_HANDLE, PARTITION, VALUE, KEY, OPAQUE, FLAGS, TIMESTAMP, HEADER, HEADERS };

typedef int on_new_f(rd_kafka_t *, const rd_kafka_conf_t *, void *, char *, size_t);
typedef int on_acknowledgement_f(rd_kafka_t *, rd_kafka_message_t *, void *);
typedef int on_destroy_f(rd_kafka_t *, void *);

#define LIBRDKAFKA(_) \
    _(rd_kafka_conf_t *, conf_new, (void)) \
    _(void, conf_destroy, (rd_kafka_conf_t *)) \
    _(int, conf_get, (const rd_kafka_conf_t *, const char *, char *, size_t *)) \
    _(int, conf_interceptor_add_on_new, (rd_kafka_conf_t *, const char *, on_new_f *, void *)) \
    _(int, interceptor_add_on_acknowledgement, \
      (rd_kafka_t *, const char *, on_acknowledgement_f *, void *)) \
    _(int, interceptor_add_on_destroy, (rd_kafka_t *, const char *, on_destroy_f *, void *)) \
    _(rd_kafka_message_t *, consumer_poll, (rd_kafka_t *, int)) \
    _(ssize_t, consume_batch_queue, (rd_kafka_queue_t *, int, rd_kafka_message_t **, size_t)) \
    _(rd_kafka_queue_t *, queue_get_consumer, (rd_kafka_t *)) \
    _(rd_kafka_queue_t *, queue_get_main, (rd_kafka_t *)) \
    _(void, queue_forward, (rd_kafka_queue_t *, rd_kafka_queue_t *)) \
    _(void, queue_yield, (rd_kafka_queue_t *)) \
    _(void, queue_destroy, (rd_kafka_queue_t *)) \
    _(rd_kafka_event_t *, queue_poll, (rd_kafka_queue_t *, int)) \
    _(int, event_type, (const rd_kafka_event_t *)) \
    _(int, event_error, (rd_kafka_event_t *)) \
    _(const char *, event_error_string, (rd_kafka_event_t *)) \
    _(void, event_destroy, (rd_kafka_event_t *)) \
    _(const char *, topic_name, (const rd_kafka_topic_t *)) \
    _(int64_t, message_timestamp, (const rd_kafka_message_t *, int *)) \
    _(const char *, message_errstr, (const rd_kafka_message_t *)) \
    _(int, message_headers, (const rd_kafka_message_t *, rd_kafka_headers_t **)) \
    _(void, message_destroy, (rd_kafka_message_t *)) \
    _(int, header_get_all, \
      (const rd_kafka_headers_t *, size_t, const char **, const void **, size_t *)) \
    _(rd_kafka_headers_t *, headers_new, (size_t)) \
    _(int, header_add, (rd_kafka_headers_t *, const char *, ssize_t, const void *, ssize_t)) \
    _(void, headers_destroy, (rd_kafka_headers_t *)) \
    _(int, producev, (rd_kafka_t *, ...))

#define DECLARE(result, name, arguments) static result(*name) arguments;
LIBRDKAFKA(DECLARE)

static const char NAME[] = "penstock";
static PyObject *kafka_error; /* confluent_kafka.KafkaError */

/* Clients */

enum { TOPIC_NAME_SIZE = 256 }; /* Kafka allows 249 characters. */

enum { FAILURES_KEPT = 1000 }; /* When a broker goes away all of the queue fails. */

/* A message that was not written; its key and value follow it. */
typedef struct Failure {
    struct Failure *next;
    int error;
    int32_t partition;
    char topic[TOPIC_NAME_SIZE];
    int has_key, has_value;
    size_t key_size, value_size;
    char bytes[];
} Failure;

typedef struct {
    atomic_int owners;           /* librdkafka's client, and the capsule in Python */
    _Atomic(rd_kafka_t *) rk;    /* NULL when it is closed */
    atomic_int failed;           /* how many failures are kept until they are asked for */
    pthread_mutex_t lock;        /* of what follows */
    Failure *first, **end;
} Client;

static _Thread_local Client *newest;   /* This thread's last client that newest_client() has not returned. */
static _Thread_local int writing;      /* A failure at once is the call's own error. */

static void free_failures(Failure *failure) {
    while (failure != NULL) {
        Failure *next = failure->next;
        free(failure);
        failure = next;
    }
}

static void release(Client *client) {
    if (atomic_fetch_sub(&client->owners, 1) == 1) {
        free_failures(client->first);
        pthread_mutex_destroy(&client->lock);
        free(client);
    }
}

static Failure *failure_of(const rd_kafka_message_t *message) {
    size_t key_size = message->key == NULL ? 0 : message->key_len;
    size_t value_size = message->payload == NULL ? 0 : message->len;
    Failure *failure = malloc(sizeof(Failure) + key_size + value_size);
    if (failure == NULL)
        return NULL;
    failure->next = NULL;
    failure->error = message->err;
    failure->partition = message->partition;
    failure->has_key = message->key != NULL;
    failure->has_value = message->payload != NULL;
    failure->key_size = key_size;
    failure->value_size = value_size;
    snprintf(failure->topic, TOPIC_NAME_SIZE, "%s", topic_name(message->rkt));
    if (key_size > 0)
        memcpy(failure->bytes, message->key, key_size);
    if (value_size > 0)
        memcpy(failure->bytes + key_size, message->payload, value_size);
    return failure;
}

static int on_acknowledgement(rd_kafka_t *rk, rd_kafka_message_t *message, void *opaque) {
    Client *client = opaque;
    (void)rk;
    if (message->err && !writing && atomic_load(&client->failed) < FAILURES_KEPT) {
        Failure *failure = failure_of(message);
        if (failure != NULL) {
            pthread_mutex_lock(&client->lock);
            *client->end = failure;
            client->end = &failure->next;
            atomic_fetch_add(&client->failed, 1);
            pthread_mutex_unlock(&client->lock);
        }
    }
    return NO_ERROR;
}

static int on_destroy(rd_kafka_t *rk, void *opaque) {
    Client *client = opaque;
    (void)rk;
    atomic_store(&client->rk, NULL);
    release(client);
    return NO_ERROR;
}

static int on_new(rd_kafka_t *rk, const rd_kafka_conf_t *conf, void *opaque, char *why, size_t size) {
    Client *client = calloc(1, sizeof(*client));
    (void)conf, (void)opaque;
    if (client == NULL) {
        snprintf(why, size, "no memory");
        return -1;
    }
    client->rk = rk;
    client->owners = 2;
    client->end = &client->first;
    pthread_mutex_init(&client->lock, NULL);
    interceptor_add_on_acknowledgement(rk, NAME, on_acknowledgement, client);
    interceptor_add_on_destroy(rk, NAME, on_destroy, client);
    if (newest != NULL)
        release(newest);
    newest = client;
    return NO_ERROR;
}

/* librdkafka calls it by this name for each configuration that names this library as a plugin. */
__attribute__((visibility("default"))) int
conf_init(rd_kafka_conf_t *conf, void **opaque, char *why, size_t size) {
    (void)opaque, (void)why, (void)size;
    return conf_interceptor_add_on_new(conf, NAME, on_new, NULL);
}

static void release_capsule(PyObject *capsule) {
    release(PyCapsule_GetPointer(capsule, NAME));
}

static PyObject *newest_client(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    if (newest == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "this thread has made no client with the plugin");
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(newest, NAME, release_capsule);
    if (capsule != NULL)
        newest = NULL;
    return capsule;
}

static Client *client_of(PyObject *capsule) {
    Client *client = PyCapsule_GetPointer(capsule, NAME);
    if (client != NULL && client->rk == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the Kafka client is closed");
        return NULL;
    }
    return client;
}

/* Reading */

static PyObject *bytes_or_none(const void *data, size_t size) {
    return data == NULL ? Py_NewRef(Py_None) : PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

static PyObject *headers_of(const rd_kafka_message_t *message) {
    rd_kafka_headers_t *headers;
    const char *name;
    const void *value;
    size_t size;
    if (message_headers(message, &headers) != NO_ERROR)
        return Py_NewRef(no_headers);
    PyObject *pairs = PyList_New(0);
    if (pairs == NULL)
        return NULL;
    for (size_t i = 0; header_get_all(headers, i, &name, &value, &size) == NO_ERROR; i++) {
        /* As in Java, what is no UTF-8 is replaced. */
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        PyObject *data = bytes_or_none(value, size);
        PyObject *pair = text == NULL || data == NULL ? NULL : PyTuple_Pack(2, text, data);
        Py_XDECREF(text);
        Py_XDECREF(data);
        int failed = pair == NULL || PyList_Append(pairs, pair) != 0;
        Py_XDECREF(pair);
        if (failed) {
            Py_DECREF(pairs);
            return NULL;
        }
    }
    PyObject *all = PyList_AsTuple(pairs);
    Py_DECREF(pairs);
    return all;
}

static PyObject *part_of(const rd_kafka_message_t *message, int part) {
    int kind;
    switch (part) {
    case 0:
        return PyLong_FromLongLong(message->offset);
    case 1:
        return PyLong_FromLongLong(message_timestamp(message, &kind));
    case 2:
        return bytes_or_none(message->key, message->key_len);
    case 3:
        return bytes_or_none(message->payload, message->len);
    default:
        return headers_of(message);
    }
}

static PyObject *record_of(const rd_kafka_message_t *message) {
    PyObject *record = PyTuple_New(5);
    for (int at = 0; record != NULL && at < 5; at++) {
        PyObject *part = part_of(message, at);
        if (part == NULL)
            Py_CLEAR(record);
        else
            PyTuple_SET_ITEM(record, at, part);
    }
    /* It can be in no cycle; so the collector need not look at it. */
    if (record != NULL)
        PyObject_GC_UnTrack(record);
    return record;
}

static const char *topic_of(const rd_kafka_message_t *message) {
    return message->rkt == NULL ? "" : topic_name(message->rkt);
}

/* Returns a list of (topic, partition, records, None), or with (offset, error) in place of None. */
static PyObject *portions_of(rd_kafka_message_t **messages, ssize_t count) {
    PyObject *portions = PyList_New(0);
    const rd_kafka_topic_t *topic = NULL;
    int32_t partition = -1;
    PyObject *records = NULL; /* Borrowed from the last portion; NULL to begin a new one. */
    for (ssize_t i = 0; portions != NULL && i < count; i++) {
        rd_kafka_message_t *message = messages[i];
        PyObject *item, *into;
        if (message->err) {
            item = Py_BuildValue("(si[](LN))", topic_of(message), (int)message->partition,
                                 (long long)message->offset,
                                 PyObject_CallFunction(kafka_error, "is", message->err,
                                                       message_errstr(message)));
            into = portions;
            records = NULL;
        } else {
            if (records == NULL || message->rkt != topic || message->partition != partition) {
                topic = message->rkt;
                partition = message->partition;
                PyObject *portion =
                    Py_BuildValue("(si[]O)", topic_of(message), (int)partition, Py_None);
                if (portion == NULL || PyList_Append(portions, portion) != 0) {
                    Py_XDECREF(portion);
                    Py_CLEAR(portions);
                    break;
                }
                records = PyTuple_GET_ITEM(portion, 2);
                Py_DECREF(portion);
            }
            item = record_of(message);
            into = records;
        }
        if (item == NULL || PyList_Append(into, item) != 0)
            Py_CLEAR(portions);
        Py_XDECREF(item);
    }
    return portions;
}

/* Hands the client's own faults to a function. */
static int report_faults(rd_kafka_t *rk, PyObject *on_fault) {
    rd_kafka_queue_t *faults = queue_get_main(rk);
    rd_kafka_event_t *event;
    int failed = 0;
    while (!failed && (event = queue_poll(faults, 0)) != NULL) {
        if (event_type(event) == EVENT_ERROR) {
            PyObject *error = PyObject_CallFunction(kafka_error, "is", event_error(event),
                                                    event_error_string(event));
            PyObject *answer = error == NULL ? NULL : PyObject_CallOneArg(on_fault, error);
            failed = answer == NULL;
            Py_XDECREF(error);
            Py_XDECREF(answer);
        }
        event_destroy(event);
    }
    queue_destroy(faults);
    return failed;
}

static PyObject *begin_reading(PyObject *module, PyObject *capsule) {
    (void)module;
    Client *client = client_of(capsule);
    if (client == NULL)
        return NULL;
    /* The client's own faults would call back into confluent-kafka, which expects that only where
       it has called itself. */
    rd_kafka_queue_t *faults = queue_get_main(client->rk);
    queue_forward(faults, NULL);
    queue_destroy(faults);
    Py_RETURN_NONE;
}

static PyObject *read_messages(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *capsule, *on_fault;
    int wait_ms;
    Py_ssize_t limit;
    if (!PyArg_ParseTuple(arguments, "OinO", &capsule, &wait_ms, &limit, &on_fault))
        return NULL;
    Client *client = client_of(capsule);
    if (client == NULL)
        return NULL;
    if (limit < 1) {
        PyErr_SetString(PyExc_ValueError, "limit must be at least 1");
        return NULL;
    }
    rd_kafka_message_t **messages = PyMem_New(rd_kafka_message_t *, limit);
    if (messages == NULL)
        return PyErr_NoMemory();
    rd_kafka_t *rk = client->rk;
    ssize_t count = 0;
    Py_BEGIN_ALLOW_THREADS
    messages[0] = consumer_poll(rk, wait_ms);
    if (messages[0] != NULL) {
        count = 1;
        if (limit > 1) {
            rd_kafka_queue_t *queue = queue_get_consumer(rk);
            ssize_t more = consume_batch_queue(queue, 0, messages + 1, (size_t)limit - 1);
            queue_destroy(queue);
            count += more > 0 ? more : 0;
        }
    }
    Py_END_ALLOW_THREADS
    PyObject *portions = portions_of(messages, count);
    for (ssize_t i = 0; i < count; i++)
        message_destroy(messages[i]);
    PyMem_Free(messages);
    if (portions != NULL && report_faults(rk, on_fault))
        Py_CLEAR(portions);
    return portions;
}

/* Ends the wait of another thread in read_messages(), or of the next call if none waits now. The
   caller sees to it that the client is not closed meanwhile. */
static PyObject *wake_reader(PyObject *module, PyObject *capsule) {
    (void)module;
    Client *client = client_of(capsule);
    if (client == NULL)
        return NULL;
    rd_kafka_queue_t *queue = queue_get_consumer(client->rk);
    if (queue != NULL) {
        queue_yield(queue);
        queue_destroy(queue);
    }
    Py_RETURN_NONE;
}

/* Writing */

/* Sets data and size, NULL for None. */
static int bytes_of(PyObject *object, const char *what, const char **data, Py_ssize_t *size) {
    *data = NULL;
    *size = 0;
    if (object == Py_None)
        return 0;
    if (!PyBytes_Check(object)) {
        PyErr_Format(PyExc_TypeError, "the %s of a message must be bytes or None; got %.100s", what,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *data = PyBytes_AS_STRING(object);
    *size = PyBytes_GET_SIZE(object);
    return 0;
}

/* Makes headers for librdkafka in *made, NULL if there are none. */
static int make_headers(PyObject *pairs, rd_kafka_headers_t **made) {
    *made = NULL;
    PyObject *all = PySequence_Fast(pairs, "headers must be pairs of a name and bytes or None");
    if (all == NULL)
        return -1;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(all);
    if (count > 0)
        *made = headers_new((size_t)count);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name, *value;
        Py_ssize_t name_size, size;
        const char *data;
        PyObject *pair = PySequence_Fast_GET_ITEM(all, i);
        const char *text = NULL;
        if (!PyTuple_Check(pair))
            PyErr_SetString(PyExc_TypeError, "a header must be a pair of a name and bytes or None");
        else if (PyArg_ParseTuple(pair, "UO", &name, &value) &&
                 bytes_of(value, "header", &data, &size) == 0)
            text = PyUnicode_AsUTF8AndSize(name, &name_size);
        if (text == NULL) {
            headers_destroy(*made);
            *made = NULL;
            Py_DECREF(all);
            return -1;
        }
        header_add(*made, text, name_size, data, size);
    }
    Py_DECREF(all);
    return 0;
}

/* Sets librdkafka's error; returns -1 with an exception set if it is no message. */
static int write_one(rd_kafka_t *rk, PyObject *output, int *error) {
    PyObject *topic, *partition, *key, *value, *timestamp, *headers;
    const char *key_data, *value_data;
    Py_ssize_t key_size, value_size;
    rd_kafka_headers_t *made = NULL;
    if (!PyTuple_Check(output) || PyTuple_GET_SIZE(output) != 6) {
        PyErr_SetString(PyExc_TypeError, "a message must be a tuple of six");
        return -1;
    }
    topic = PyTuple_GET_ITEM(output, 0);
    partition = PyTuple_GET_ITEM(output, 1);
    key = PyTuple_GET_ITEM(output, 2);
    value = PyTuple_GET_ITEM(output, 3);
    timestamp = PyTuple_GET_ITEM(output, 4);
    headers = PyTuple_GET_ITEM(output, 5);
    const char *name = PyUnicode_AsUTF8(topic);
    if (name == NULL || bytes_of(key, "key", &key_data, &key_size) != 0 ||
        bytes_of(value, "value", &value_data, &value_size) != 0)
        return -1;
    long place = partition == Py_None ? -1 : PyLong_AsLong(partition);
    if (place == -1 && PyErr_Occurred())
        return -1;
    /* librdkafka takes 0 for "now"; 1 ms after the epoch is nearer to the truth. */
    long long time = timestamp == Py_None ? 0 : PyLong_AsLongLong(timestamp);
    if (time == -1 && PyErr_Occurred())
        return -1;
    if (place < -1 || place > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "a partition must be from 0 to %d; got %ld", INT32_MAX,
                     place);
        return -1;
    }
    if (time == 0 && timestamp != Py_None)
        time = 1;
    if (headers != no_headers && make_headers(headers, &made) != 0)
        return -1;
    *error = producev(rk, FLAGS, FLAG_COPY, TOPIC, name, PARTITION, (int32_t)place, KEY, key_data,
                      (size_t)key_size, VALUE, value_data, (size_t)value_size, TIMESTAMP,
                      (int64_t)time, HEADERS, made, END);
    if (*error != NO_ERROR && made != NULL)
        headers_destroy(made);
    return 0;
}

static PyObject *write_messages(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *capsule, *outputs;
    Py_ssize_t first;
    if (!PyArg_ParseTuple(arguments, "OO!n", &capsule, &PyList_Type, &outputs, &first))
        return NULL;
    Client *client = client_of(capsule);
    if (client == NULL)
        return NULL;
    if (first < 0) {
        PyErr_SetString(PyExc_ValueError, "first must not be < 0");
        return NULL;
    }
    int error = NO_ERROR, failed = 0;
    writing = 1;
    for (; first < PyList_GET_SIZE(outputs); first++) {
        PyObject *output = Py_NewRef(PyList_GET_ITEM(outputs, first));
        failed = write_one(client->rk, output, &error);
        Py_DECREF(output);
        if (failed || error != NO_ERROR)
            break;
    }
    writing = 0;
    return failed ? NULL : Py_BuildValue("(ni)", first, error);
}

/* Returns (topic, partition, key, value, error). */
static PyObject *report_of(const Failure *failure) {
    const char *key = failure->has_key ? failure->bytes : NULL;
    const char *value = failure->has_value ? failure->bytes + failure->key_size : NULL;
    PyObject *error = PyObject_CallFunction(kafka_error, "i", failure->error);
    if (error == NULL)
        return NULL;
    return Py_BuildValue("(siNNN)", failure->topic, (int)failure->partition,
                         bytes_or_none(key, failure->key_size),
                         bytes_or_none(value, failure->value_size),
                         error);
}

static PyObject *failed_messages(PyObject *module, PyObject *capsule) {
    (void)module;
    Client *client = PyCapsule_GetPointer(capsule, NAME);
    if (client == NULL)
        return NULL;
    PyObject *all = PyList_New(0);
    if (all == NULL || atomic_load(&client->failed) == 0)
        return all;
    pthread_mutex_lock(&client->lock);
    Failure *first = client->first;
    client->first = NULL;
    client->end = &client->first;
    atomic_store(&client->failed, 0);
    pthread_mutex_unlock(&client->lock);
    for (Failure *failure = first; all != NULL && failure != NULL; failure = failure->next) {
        PyObject *report = report_of(failure);
        if (report == NULL || PyList_Append(all, report) != 0)
            Py_CLEAR(all);
        Py_XDECREF(report);
    }
    free_failures(first);
    return all;
}

/* librdkafka */

/* Look up all functions; return the name of one that is missing, NULL if none is. */
static const char *find_functions(void *library) {
#define FIND(result, name, arguments) \
    if ((*(void **)&name = dlsym(library, "rd_kafka_" #name)) == NULL) \
        return "rd_kafka_" #name;
    LIBRDKAFKA(FIND)
    return NULL;
}

static int has_plugins(void) {
    char features[1024] = "";
    size_t size = sizeof(features);
    rd_kafka_conf_t *conf = conf_new();
    conf_get(conf, "builtin.features", features, &size);
    conf_destroy(conf);
    return strstr(features, "plugins") != NULL;
}

static PyObject *connect_librdkafka(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *path;
    PyObject *error_type;
    if (!PyArg_ParseTuple(arguments, "sO", &path, &error_type))
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return PyUnicode_FromString(dlerror());
    const char *missing = find_functions(library);
    if (missing != NULL)
        return PyUnicode_FromFormat("librdkafka has no %s", missing);
    if (!has_plugins())
        return PyUnicode_FromString("librdkafka was built without plugins");
    Py_XSETREF(kafka_error, Py_NewRef(error_type));
    Py_RETURN_NONE;
}

/* The module */

static PyMethodDef functions[] = {
    {"connect_librdkafka", connect_librdkafka, METH_VARARGS,
     "Use the librdkafka of a library; return None, or why that cannot be."},
    {"newest_client", newest_client, METH_NOARGS, "Return the client that this thread has just made."},
    {"begin_reading", begin_reading, METH_O, "Get a consumer ready for read_messages()."},
    {"read_messages", read_messages, METH_VARARGS, "Return the messages that have come."},
    {"wake_reader", wake_reader, METH_O, "End the wait of another thread in read_messages()."},
    {"write_messages", write_messages, METH_VARARGS,
     "Hand over messages; return the index of the first that was not taken, and why."},
    {"failed_messages", failed_messages, METH_O,
     "Return, once, the messages that could not be written."},
    {NULL, NULL, 0, NULL},
};

int add_bulk(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
