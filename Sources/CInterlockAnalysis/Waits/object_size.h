// The size of an object on Swift's heap. Not for users of the target.
#ifndef INTERLOCK_OBJECT_SIZE_H
#define INTERLOCK_OBJECT_SIZE_H

#include "interlock_internals.h"

/// The size of an object on the heap by its metadata, for an instance of a class or a closure's
/// context; 0 if it is not known. Sets `room` to the bytes that malloc has allocated, the last of
/// which may still have the values of an earlier object. Both are 0 if there is no object.
size_t interlock_object_size(uintptr_t object, size_t *room) HIDDEN;

#endif
