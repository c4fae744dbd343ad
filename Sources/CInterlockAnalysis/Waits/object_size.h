// The size of an object on Swift's heap. Not for users of the target.
#ifndef INTERLOCK_OBJECT_SIZE_H
#define INTERLOCK_OBJECT_SIZE_H

#include <stdbool.h>

#include "interlock_internals.h"

/// What an object's metadata shows about all objects of its type.
typedef struct {
  uintptr_t metadata;
  /// The size of an instance of a class or of a closure's context; 0 if it is not known.
  size_t size;
  /// The words of a context that contain padding, a bit for each.
  uint64_t padded;
  bool is_context;
} object_type;

/// The bytes that malloc has allocated for an object on the heap, the last of which may still have
/// the values of an earlier object; 0 if there is no object. Sets its metadata.
size_t interlock_object_room(uintptr_t object, uintptr_t *metadata) HIDDEN;

/// Reads metadata. Reads memory several dozen times, each time by a system call.
object_type interlock_object_type(uintptr_t metadata) HIDDEN;

/// The size of an object of this type for which malloc has allocated `room` bytes; 0 if it is not
/// known, or if the object cannot be of this type.
size_t interlock_object_size(const object_type *type, size_t room) HIDDEN;

#endif
