/// The private layouts that the events and their readers rely on.
#ifndef INTERLOCK_LAYOUTS_PUBLIC_H
#define INTERLOCK_LAYOUTS_PUBLIC_H

#include "interlock_events.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A private layout of the system's libraries that the events, or their readers, rely on. Each is
/// checked before its first use. Where one does not hold, what relies on it is off, and one line on
/// standard error says so.
typedef enum {
  /// 48 bits are enough for an address.
  INTERLOCK_LAYOUT_ADDRESS,
  /// The owner and the kind of the C library's mutex.
  INTERLOCK_LAYOUT_MUTEX,
  /// The flags of a work item, and how it is recognised.
  INTERLOCK_LAYOUT_BLOCK,
  /// The words of `swift_once` and `dispatch_once`.
  INTERLOCK_LAYOUT_ONCE,
  /// The width and the target of a queue.
  INTERLOCK_LAYOUT_QUEUE,
  /// The encoding of `dispatch_time_t`.
  INTERLOCK_LAYOUT_MOMENT,
  /// The registers and the context of an asynchronous call.
  INTERLOCK_LAYOUT_CONTEXT,
} interlock_layout;

/// Those without which a lock or a queue may be taken for another: for predictions, and for the
/// order of threads.
enum {
  INTERLOCK_LAYOUTS_OF_LOCKS = 1 << INTERLOCK_LAYOUT_ONCE | 1 << INTERLOCK_LAYOUT_QUEUE,
};

/// Why one of these layouts, a bit for each, cannot be relied on; NULL where all hold. From any
/// thread.
const char *interlock_layouts_lost(uint32_t among);

#ifdef __cplusplus
}
#endif

#endif
