// The size of an object on Swift's heap. Included by `Waits/` only.
#ifndef INTERLOCK_OBJECT_SIZE_H
#define INTERLOCK_OBJECT_SIZE_H

#include <stdbool.h>

#include "interlock_internals.h"

/// The data in an object's metadata that holds for all objects of its type.
typedef struct {
  uintptr_t metadata;
  /// The size of an instance of a class or of a closure's context; 0 if it is not known.
  size_t size;
  /// The words of a context that contain padding, as a bit for each.
  uint64_t padded;
  bool is_context;
} object_type;

/// Returns the number of bytes that malloc has allocated for an object on the heap; the last of
/// them may still have the values of an earlier object. 0 if there is no object. Sets the object's
/// metadata.
size_t interlock_object_room(uintptr_t object, uintptr_t *metadata) HIDDEN;

/// Reads metadata, by several dozen system calls.
object_type interlock_object_type(uintptr_t metadata) HIDDEN;

/// Returns the size of an object of this type for which malloc has allocated `room` bytes; 0 if it
/// is not known, or if the object cannot be of this type.
size_t interlock_object_size(const object_type *type, size_t room) HIDDEN;

#endif
