/// Private layouts that the events and their readers rely on.
#ifndef INTERLOCK_LAYOUTS_PUBLIC_H
#define INTERLOCK_LAYOUTS_PUBLIC_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A private layout of a system library, checked before its first use.
///
/// If it differs, the features that rely on it are off, and one line on standard error says so.
typedef enum {
  /// Addresses fit in 48 bits.
  INTERLOCK_LAYOUT_ADDRESS,
  /// The owner and the kind in the C library's mutex, and the words that its locks do not use.
  INTERLOCK_LAYOUT_MUTEX,
  /// The flags of a work item, and how it is recognised.
  INTERLOCK_LAYOUT_BLOCK,
  /// The words that `swift_once` and `dispatch_once` use.
  INTERLOCK_LAYOUT_ONCE,
  /// The width and the target of a queue.
  INTERLOCK_LAYOUT_QUEUE,
  /// The encoding of `dispatch_time_t`.
  INTERLOCK_LAYOUT_MOMENT,
  /// The registers and the context of an asynchronous call.
  INTERLOCK_LAYOUT_CONTEXT,
  /// The calls for ThreadSanitizer that the Swift runtime makes when a task runs and ends.
  INTERLOCK_LAYOUT_TASK,
  /// The first and the last item of a root queue.
  INTERLOCK_LAYOUT_ROOT,
  /// The parameters that seed Swift's hash tables.
  INTERLOCK_LAYOUT_HASH_TABLE,
} interlock_layout;

/// The layouts without which one lock or queue could be mistaken for another, for prediction and
/// happens-before.
enum {
  INTERLOCK_LAYOUTS_OF_LOCKS = 1 << INTERLOCK_LAYOUT_ONCE | 1 << INTERLOCK_LAYOUT_QUEUE,
};

/// Returns the reason why one of these layouts (a bit each) cannot be relied on; NULL if all hold.
/// Callable from any thread.
const char *interlock_layouts_lost(uint32_t among);

/// Seeds the dictionaries and sets that are made from now on by their sizes, or by their addresses
/// as usual. Seeded by size, two tables to which the same elements were added in the same way have
/// the same order in this process. Returns the setting before; does nothing if the layout is not
/// known. Callable from any thread.
bool interlock_hash_tables_by_size(bool by_size);

#ifdef __cplusplus
}
#endif

#endif
