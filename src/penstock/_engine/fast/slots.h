/* Attributes of objects whose class has `__slots__`, without a search for their names: for those
   that are read or set for each record.

   A slot knows where the attribute is in objects of the class that it met last. Where a class has
   no such slot, the attribute is found by its name, as everywhere. */

#include <structmember.h>

typedef struct {
    PyObject *name;
    PyTypeObject *class;
    Py_ssize_t offset; /* -1 if the class has no such slot */
} Slot;

/* Learn where a class has the attribute. The class is kept: another at its address would have it
   elsewhere. */
static void learn_slot(Slot *slot, PyTypeObject *class) {
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
        learn_slot(slot, Py_TYPE(object));
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
