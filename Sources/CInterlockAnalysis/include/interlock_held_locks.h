/// What each thread holds, and where it took it: kept by a reader of the synchronisation events
/// once prediction has been started.
#ifndef INTERLOCK_HELD_LOCKS_H
#define INTERLOCK_HELD_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most that is known of one thread.
#define INTERLOCK_HELD_LOCKS_MOST 16

/// Something that a thread holds: a lock, a semaphore that is used as one, or a queue that it is
/// on.
typedef struct {
  uintptr_t object;
  /// Where it was taken; of a queue, where its block was handed over.
  uintptr_t place;
  /// Where that function was called; 0 where it is not known.
  uintptr_t outer;
  /// An `interlock_object_kind`.
  uint32_t kind;
  /// Whether others may hold it too meanwhile: a read lock, or a concurrent queue without a
  /// barrier.
  bool is_shared;
} interlock_held_lock;

/// Writes what the calling thread holds, in the order in which it was taken, and gives how many
/// there are. Nothing is held where prediction has not been started. Makes no call that is
/// published; tens of nanoseconds.
size_t interlock_held_locks(interlock_held_lock *locks, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
