// The weak memory model of an exploration: RC11 (Lahav and others, "Repairing Sequential
// Consistency in C/C++11", PLDI 2017), with the release sequences of C++20. Included by
// `CInterlockMemory/` only.
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

/// An atomic operation, a fence, or the initial value of an atomic.
typedef struct {
  /// The number of its thread in the execution, and of its location; `no_event` for none.
  uint32_t thread, location;
  /// The run that contains the event: operations of one thread on one location without another
  /// operation of the thread between them.
  uint32_t run;
  /// The store that the event reads; its own position in the modification order; and its neighbours
  /// there.
  uint32_t read_from, position, older, newer;
  /// The event whose clock a thread gets when it acquires from this store: the store itself, or an
  /// earlier fence.
  uint32_t message;
  /// The thread's previous event, and the previous event on the location.
  uint32_t previous, previous_here;
  /// The number of the store among the stores of its location, and its step.
  uint32_t arrival;
  size_t step;
  interlock_wide value;
  /// The epoch of the thread's clock: slot and count.
  uint32_t slot;
  uint64_t count;
  bool reads, writes, is_sequential, is_initial, is_acquire_fence, passes;
} weak_event;

/// A run: operations of one thread on one location. Happens-before paths that enter and leave it
/// through other operations of the thread decide the order for sequential consistency.
typedef struct {
  uint32_t slot;
  /// The thread's count after the run: a thread whose clock includes it comes after a later
  /// operation.
  uint64_t end_count, end_lessons;
  /// The events that happen before the run.
  uint64_t entered[weak_words];
} weak_run;

/// The events of the running execution, and for each event those that happen before it.
typedef struct {
  uint32_t event_count, run_count, sequential_count, fence_count;
  weak_event events[most_weak_events];
  uint64_t before[most_weak_events][weak_words];
  weak_run runs[most_weak_events];
  /// The sequentially consistent events, some of which are fences.
  uint32_t sequential[most_weak_events];
} weak_graph;
extern weak_graph *interlock_weak HIDDEN;

static inline bool weak_bit(const uint64_t *bits, uint32_t event) {
  return bits[event / 64] >> event % 64 & 1;
}
static inline void weak_set(uint64_t *bits, uint32_t event) {
  bits[event / 64] |= 1ull << event % 64;
}

/// True if the order of the sequentially consistent events has no cycle (weak_order.c).
bool interlock_weak_order_holds(void) HIDDEN;

/// Prepares an operation of the calling thread on an atomic, before its point. Returns false if the
/// operation must be sequentially consistent whatever its memory order.
bool interlock_weak_prepares(interlock_atomic_call *call) HIDDEN;
// The operations, called after their points if the call is a step.
interlock_wide interlock_weak_load(interlock_atomic_call *call, int memory_order) HIDDEN;
void interlock_weak_store(interlock_atomic_call *call, interlock_wide value,
                          int memory_order) HIDDEN;
/// Returns the value that the operation reads. Call `interlock_weak_change` with the new value
/// next.
interlock_wide interlock_weak_read(interlock_atomic_call *call, int memory_order) HIDDEN;
void interlock_weak_change(interlock_atomic_call *call, interlock_wide value) HIDDEN;
/// Returns true if the exchange was made; `expected` becomes the value that was read. An exchange
/// that `may_fail` may read the expected value and not write: then it `has_failed`.
bool interlock_weak_exchange(interlock_atomic_call *call, interlock_wide *expected,
                             interlock_wide desired, int memory_order, int failure_order) HIDDEN;
/// Performs a fence of the calling thread. Returns false if the model does not handle it.
bool interlock_weak_fence(int memory_order) HIDDEN;

#endif
#endif
