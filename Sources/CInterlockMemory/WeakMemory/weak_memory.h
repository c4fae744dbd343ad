// The weak memory model of an exploration: RC11 (Lahav and others, "Repairing Sequential
// Consistency in C/C++11", PLDI 2017), with the release sequences of C++20. Not for users of the
// target.
//
// Each atomic has its stores in their modification order. A load may read any store that its
// thread's past does not rule out; the exploration chooses. RC11 has no cycles of program order and
// reads-from, so each execution can be built step by step.
#ifndef INTERLOCK_WEAK_MEMORY_H
#define INTERLOCK_WEAK_MEMORY_H

#include "../memory_thread.h"
#include "interlock_explored_memory.h"

#ifdef INTERLOCK_INTERPOSES

/// The value of an atomic of any size.
typedef unsigned __int128 interlock_wide;

/// Compares and swaps 16 bytes, as a full barrier (atomics.c).
bool interlock_wide_exchange(volatile interlock_wide *at, interlock_wide *expected,
                             interlock_wide desired) HIDDEN;

enum { most_weak_events = 4096, weak_words = most_weak_events / 64, no_event = UINT32_MAX };

/// An atomic operation, a fence, or the value that an atomic had at first.
typedef struct {
  /// Its number among the threads of the execution, and among the locations; `no_event` for none.
  uint32_t thread, location;
  /// The run that it is in: operations of one thread on one location without another between.
  uint32_t run;
  /// The store that it reads; its place in the modification order, and its neighbours there.
  uint32_t read_from, position, older, newer;
  /// The event whose clock a thread gets that acquires from this store: itself, or a fence before.
  uint32_t message;
  /// The thread's event before, and the one before on the location.
  uint32_t previous, previous_here;
  /// The number of the store among those of its location, and its step.
  uint32_t arrival;
  size_t step;
  interlock_wide value;
  /// The epoch of the thread's clock.
  uint32_t slot;
  uint64_t count;
  bool reads, writes, is_sequential, is_initial, is_acquire_fence, passes;
} weak_event;

/// Operations of one thread on one location: the paths of happens-before that enter and leave
/// them by other operations of the thread decide what is ordered for sequential consistency.
typedef struct {
  uint32_t slot;
  /// The thread's count behind it: a thread that has learnt of it has learnt of a later operation.
  uint64_t end_count, end_lessons;
  /// The events of which the thread had learnt before.
  uint64_t entered[weak_words];
} weak_run;

/// The events of the running execution, and for each those that happen before it.
typedef struct {
  uint32_t event_count, run_count, sequential_count, fence_count;
  weak_event events[most_weak_events];
  uint64_t before[most_weak_events][weak_words];
  weak_run runs[most_weak_events];
  /// Those that are sequentially consistent; some are fences.
  uint32_t sequential[most_weak_events];
} weak_graph;
extern weak_graph *interlock_weak HIDDEN;

static inline bool weak_bit(const uint64_t *bits, uint32_t event) {
  return bits[event / 64] >> event % 64 & 1;
}
static inline void weak_set(uint64_t *bits, uint32_t event) {
  bits[event / 64] |= 1ull << event % 64;
}

/// Whether the order of the sequentially consistent events has no cycle (weak_order.c).
bool interlock_weak_order_holds(void) HIDDEN;

/// Prepares an operation of the calling thread on an atomic, before its point. False if the
/// operation is sequentially consistent whatever its order.
bool interlock_weak_prepares(interlock_atomic_call *call) HIDDEN;
// The operations, after their point, if the call is a step.
interlock_wide interlock_weak_load(interlock_atomic_call *call, int memory_order) HIDDEN;
void interlock_weak_store(interlock_atomic_call *call, interlock_wide value,
                          int memory_order) HIDDEN;
/// Returns the value that the operation reads. Call `interlock_weak_change` with the new one next.
interlock_wide interlock_weak_read(interlock_atomic_call *call, int memory_order) HIDDEN;
void interlock_weak_change(interlock_atomic_call *call, interlock_wide value) HIDDEN;
/// Returns whether the exchange was made; `expected` becomes the value that was read. An exchange
/// that `may_fail` may only read the value that it expects: then it `has_failed`.
bool interlock_weak_exchange(interlock_atomic_call *call, interlock_wide *expected,
                             interlock_wide desired, int memory_order, int failure_order) HIDDEN;
/// A fence of the calling thread; false if the thread has none here.
bool interlock_weak_fence(int memory_order) HIDDEN;

#endif
#endif
