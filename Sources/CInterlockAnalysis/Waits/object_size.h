// How large an object on Swift's heap is. Not for users of the target.
#ifndef INTERLOCK_OBJECT_SIZE_H
#define INTERLOCK_OBJECT_SIZE_H

#include "interlock_internals.h"

/// The bytes of an object on the heap that are certainly its own, by its metadata: of a class's
/// instance, or of a closure's context. 0 if that is not known; `room` then is what malloc has
/// given for it, which may be more than the object has and hold what was there before. Both are 0
/// if the address is no object's.
size_t interlock_object_size(uintptr_t object, size_t *room) HIDDEN;

#endif
