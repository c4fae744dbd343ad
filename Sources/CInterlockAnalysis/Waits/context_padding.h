// The padding in a closure's context. Included by `Waits/` only.
#ifndef INTERLOCK_CONTEXT_PADDING_H
#define INTERLOCK_CONTEXT_PADDING_H

#include "interlock_internals.h"

/// Returns the words of a context with this metadata and size that contain padding, and so no
/// pointer: a bit for each. Stops at the first capture whose type is not one of the usual ones.
uint64_t interlock_padded_words(uintptr_t metadata, size_t size) HIDDEN;

#endif
