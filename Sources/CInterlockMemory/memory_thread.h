// The data of the check for each thread. Included by `CInterlockMemory/` only.
#ifndef INTERLOCK_MEMORY_THREAD_H
#define INTERLOCK_MEMORY_THREAD_H

#include "shadow.h"

#ifdef INTERLOCK_INTERPOSES

enum {
  most_frames = 1024,
  cached_places = 1024,
  kept_moments = 2048,
  kept_situations = 256,
  recent_situations = 4,
  seen_onces = 256,
  most_held_back = 4,
  being_reported = most_held_back + 1,
};

/// A call in progress: its return address, the stack pointer in it, and its node in the tree of
/// stacks under the node `above` (0 until an access in the call needs a node).
typedef struct {
  uintptr_t returns_to, stack;
  uint32_t node, above;
} memory_frame;

/// A cached look-up of a node: the call site, under its caller's node.
typedef struct {
  uintptr_t place;
  uint32_t above, node;
} known_place;

/// A situation: the state of a thread while it made accesses.
typedef struct {
  uint64_t task;
  uint64_t scope;
  uint32_t thread, explored_thread;
  uint32_t held_count;
  interlock_memory_held held[INTERLOCK_MEMORY_HELD];
  char queue[INTERLOCK_MEMORY_LABEL];
} situation;

/// An epoch and the situation in it, as in a cell; and the number of that situation in the ring.
typedef struct {
  uint64_t moment, situation;
} situation_moment;

/// The history of a slot, which the next thread or task of the slot continues. Its memory is never
/// freed.
typedef struct {
  /// The last clock that had the slot.
  const thread_clock *clock;
  /// Two rings, and the number of entries ever written to each. A loop that locks and unlocks adds
  /// epochs, and no new situation.
  uint64_t moments, situations;
  situation_moment moment[kept_moments];
  situation ring[kept_situations];
} slot_history;

/// A recent situation of the thread: its key, its history, and its number there.
typedef struct {
  uint64_t key, number;
  slot_history *history;
} recent_situation;

/// The data of a thread.
typedef struct memory_thread {
  thread_record *record;
  /// The value of the record's count of clock changes for which this data was computed.
  uint32_t clock_changes;
  /// The record's count itself. For a thread whose accesses may be points, a value that the count
  /// never has, so that the fast path, which compares the two, is never taken.
  const uint32_t *changes;
  /// The lowest address of the thread's stack; 0 if it is not known.
  uintptr_t stack_low;
  /// The current clock: the thread's own or its task's; its count; and its slot, shifted to its
  /// position in a cell.
  thread_clock *clock;
  const uint64_t *count;
  shadow_cell slot;
  slot_history *history;
  /// True while the thread is in the slow path, which a signal handler may interrupt.
  bool is_busy;
  /// The number of accesses of the slot's threads that were compared with the cells. Accesses that
  /// the fast path of `check_bytes` recognises as repeated do not count.
  uint64_t compared;
  /// The calls in progress; `depth` may exceed the list. The outermost `linked` calls, as far as
  /// they are still in progress, have nodes that are linked to each other.
  uint32_t depth, linked;
  /// The state at the last checked access: the epoch; two words that differ if the held locks, or
  /// the running code, have changed within the epoch; the number of the thread's events; and the
  /// number of the situation in the epoch, shifted to its position in a cell. `unchanged` is the
  /// epoch again if those words can only change with the clock or by an event.
  uint64_t last_count, last_held, last_runs, last_events, unchanged;
  shadow_cell situation;
  /// The task that the thread ran at that access, if its clock was the task's; otherwise 0. No
  /// event shows the end of a part of that task.
  uintptr_t task;
  /// Cells of the own slot from this epoch on are this thread's.
  shadow_cell oldest;
  /// The number of times that the thread has changed its scope.
  uint64_t scope_changes;
  /// True if the thread has called plain code (plain_calls.c) and made no access since.
  /// `plain_lessons`: the number of times that its clock had learnt of others at that call.
  bool is_in_plain_code;
  uint64_t plain_lessons;
  /// The epoch in which the thread was found to run no task.
  uint64_t settled;
  memory_frame frames[most_frames];
  known_place known[cached_places];
  /// One-time initialisations that the thread's clock already includes.
  uint64_t onces[seen_onces];
  recent_situation recent[recent_situations];
  uint32_t oldest_recent;
  /// The label of the thread's queue, and the run for which it was read.
  uint64_t queue_runs;
  char queue[INTERLOCK_MEMORY_LABEL];
  /// Races that may be accesses of a lock (races.c), and the depth of the function in which they
  /// were found. Only the thread itself adds one; any thread may report them, and sets the count to
  /// `being_reported` meanwhile.
  uint32_t held_back_count, held_back_depth;
  interlock_memory_race held_back[most_held_back];
} memory_thread;

/// The calling thread's data; NULL while its accesses are not checked, so that one load decides
/// both.
extern __thread memory_thread *interlock_memory_own
    __attribute__((tls_model("initial-exec"))) HIDDEN;
/// The same, but also set while the thread's accesses are ignored.
extern __thread memory_thread *interlock_memory_thread
    __attribute__((tls_model("initial-exec"))) HIDDEN;

/// Begins to check the calling thread's accesses. Returns NULL if they cannot be checked now.
memory_thread *interlock_memory_begin_thread(void) HIDDEN;
/// Returns the data of the thread that has, or had last, a slot; NULL past the last used slot.
memory_thread *interlock_memory_thread_of_slot(uint32_t slot) HIDDEN;
/// Returns the history of a slot.
slot_history *interlock_memory_of_slot(uint32_t slot) HIDDEN;
/// Called when the thread runs another task, or none: takes over the clock.
void interlock_memory_follow_clock(memory_thread *own) HIDDEN;
bool interlock_memory_threads_prepare(void) HIDDEN;

/// Returns the calling thread's data; NULL if its accesses are not checked now.
static inline memory_thread *own_memory(void) {
  memory_thread *own = interlock_memory_own;
  return own ? own : interlock_memory_begin_thread();
}

/// Returns the slot and the epoch of the thread's next access, as in a cell.
__attribute__((always_inline)) static inline shadow_cell epoch_of(memory_thread *own) {
  if (__builtin_expect(own->record->clock_changes != own->clock_changes, 0)) {
    interlock_memory_follow_clock(own);
  }
  // Relaxed: only the thread itself writes it.
  return __atomic_load_n(own->count, __ATOMIC_RELAXED) << count_shift | own->slot;
}

/// True if a signal handler has interrupted the check, or a change of the clock.
static inline bool is_interrupted(const memory_thread *own) {
  return own->is_busy || is_in_change();
}

/// Stops checking the calling thread's accesses (sight.c).
void interlock_memory_stop_thread(void) HIDDEN;
/// The same for good: the thread's record is released.
void interlock_memory_end_thread(void) HIDDEN;
/// Above 0 while the thread runs code that must not be checked.
extern __thread uint32_t interlock_memory_ignores
    __attribute__((tls_model("initial-exec"))) HIDDEN;

// Accesses as points of an exploration (points.c).

/// The `changes` of a thread whose accesses may be points: a value that no count has.
extern const uint32_t interlock_memory_never HIDDEN;
static inline bool has_points(const memory_thread *own) {
  return own->changes == &interlock_memory_never;
}
/// The function that a change in place calls first. Set before the check begins.
extern uintptr_t interlock_memory_change_entry HIDDEN;
/// Chooses the path by which the thread's accesses are checked. With `is_explored`, they may be
/// points.
void interlock_memory_choose_path(memory_thread *own, bool is_explored) HIDDEN;
/// Makes the check pass the writes of the calling explored thread to the explorer from now on.
void interlock_memory_watch_writes(void) HIDDEN;
/// Reaches a point before an access, if its call site was set as a point.
void interlock_memory_reach_point(uintptr_t address, size_t size, shadow_cell kind,
                                  uintptr_t place) HIDDEN;
/// The treatment of a race of an explored thread.
typedef enum { RACE_FAILS, RACE_IS_AT_POINTS, RACE_IS_SHOWN_ELSEWHERE } explored_race;
explored_race interlock_memory_race_of(uintptr_t place, uintptr_t other) HIDDEN;
/// Called when an explored thread frees memory.
void interlock_memory_point_freed(uintptr_t address, size_t size) HIDDEN;

/// Brings the clock up to date, before its order is needed. Returns false if the thread's order is
/// not known.
bool interlock_memory_settle(memory_thread *own) HIDDEN;
/// Records the current situation, for reports of later accesses of other threads. Returns the epoch
/// with the number of the situation, as in a cell.
shadow_cell interlock_memory_keep_situation(memory_thread *own) HIDDEN;

/// Gives the thread's clock to an atomic, or joins the atomic's clock.
void interlock_memory_order(bool gives, uintptr_t atomic) HIDDEN;
/// The same for a mutex.
void interlock_memory_order_mutex(bool gives, uintptr_t mutex) HIDDEN;
/// Notes that an atomic has a clock, so that the end of its memory is the end of the clock.
void interlock_memory_note_atomic(uintptr_t address) HIDDEN;
/// Joins the clocks of the mutexes that the thread has locked unseen. Returns true if the access of
/// the cell then happens before the thread's next step.
bool interlock_mutex_orders(memory_thread *own, shadow_cell before) HIDDEN;
/// The number of bits of a node in a place; the slot is above.
enum { place_bits = 32 - slot_bits };

/// A node of the tree of call stacks: a call site under its caller's node.
typedef struct {
  uintptr_t place;
  uint32_t above;
  /// Set once the fields above are written, because another thread may find the number before.
  uint32_t is_whole;
} stack_node;
extern stack_node *interlock_stack_nodes HIDDEN;

/// Returns a place: the node of a call site under the thread's calls in progress, with the thread's
/// slot. The node is 0 if there is no room.
uint32_t interlock_memory_place(memory_thread *own, uintptr_t place) HIDDEN;
/// Returns the node of the thread's innermost call; `UINT32_MAX` if it must be searched for.
__attribute__((always_inline)) static inline uint32_t known_node_of_calls(memory_thread *own) {
  uint32_t depth = own->depth;
  if (depth == 0) return 0;
  if (own->linked >= depth) return own->frames[depth - 1].node;
  if (own->linked + 1 < depth || depth > most_frames) return UINT32_MAX;
  // A loop has made the same call again.
  const memory_frame *frame = &own->frames[depth - 1];
  if (!frame->node || frame->above != (depth > 1 ? frame[-1].node : 0)) return UINT32_MAX;
  own->linked = depth;
  return frame->node;
}
/// True if the place stored beside a cell is the place of this call site, as far as that needs no
/// search.
__attribute__((always_inline)) static inline bool interlock_memory_is_place(
    memory_thread *own, uintptr_t place, uint32_t number) {
  // The own slot's threads have written a place with the own slot, so its node is complete.
  const stack_node *node = &interlock_stack_nodes[number & ((1u << place_bits) - 1)];
  return number >> place_bits == own->slot >> slot_shift && node->place == place &&
         node->above == known_node_of_calls(own);
}
/// Writes the stack of a place, the access first; returns the number of frames.
uint32_t interlock_memory_stack(uint32_t place, uintptr_t *frames, uint32_t capacity) HIDDEN;
bool interlock_memory_stacks_prepare(void) HIDDEN;

/// Returns the object that has the `Mutex` at an address as a constant property for its whole life;
/// 0 if there is none, or if that is not certain. A variable does not count: assignment of a
/// structure replaces its mutex.
uintptr_t interlock_memory_block_of_lock(uintptr_t address) HIDDEN;

/// Records that an access races with the access of a cell.
void interlock_memory_found(memory_thread *own, uintptr_t unit, shadow_cell now, uintptr_t place,
                            shadow_cell before, uint32_t before_place) HIDDEN;

/// True if the thread may have races to report that were held back.
static inline bool holds_back(const memory_thread *own) {
  // Relaxed: only the thread itself makes the count larger than 0, but for `being_reported`.
  return __atomic_load_n(&own->held_back_count, __ATOMIC_RELAXED) > 0;
}
/// Reports the races that were held back, except those of locks.
void interlock_memory_report_held_back(memory_thread *own) HIDDEN;
/// Called in the child of a fork, which has none of the parent's other threads.
void interlock_memory_races_forked(void) HIDDEN;
/// True if an access may pass a lock to the C library, as `&lock` of a property does. The compiler
/// reports that as a change of the property's first byte.
static inline bool may_pass_lock(shadow_cell cell) {
  uint32_t bytes = cell & 0xff;
  return (cell & CELL_WRITES) && !(bytes & (bytes - 1));
}

/// Checks and stores an access of bytes of one unit that is not equal to a cell there. `kind`
/// includes the bytes.
void interlock_memory_check(memory_thread *own, uintptr_t address, shadow_cell kind,
                            uintptr_t place) HIDDEN;
/// Like `check_access`, for accesses that the fast path excludes: the thread's first access, or one
/// that may lie in two units.
void interlock_memory_check_rare(uintptr_t address, uint32_t size, shadow_cell kind,
                                 uintptr_t place) HIDDEN;

/// True if an access of the same epoch in the unit covers this one, which therefore has been
/// checked.
__attribute__((always_inline)) static inline bool is_repeated(const shadow_leaf *leaf,
                                                              size_t unit, shadow_cell now) {
  // The cell may have more bytes, and may be a write if this access is a read. Relaxed: another
  // thread may change a cell, but this thread has written any cell of its own epoch.
  shadow_cell ignored = now & CELL_WRITES ? CELL_SITUATION : CELL_SITUATION | CELL_WRITES;
  shadow_cell compared = (now | ~(shadow_cell)0xff) & ~ignored;
  for (int index = 0; index < cells_in_unit; index++) {
    shadow_cell found = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    if (((found ^ now) & compared) == 0) return true;
    // If no unit of a page has a cell of an upper rank, that page does not exist yet, and a read
    // would make it.
    if (!found) return false;
  }
  return false;
}

/// Checks an access of bytes of one unit. The fast path makes no call, and so needs no stack.
__attribute__((always_inline)) static inline void check_bytes(memory_thread *own,
                                                              uintptr_t address, uint32_t bytes,
                                                              shadow_cell kind, uintptr_t place) {
  if (*own->changes == own->clock_changes) {
    // Relaxed: only the thread itself writes it.
    shadow_cell now = __atomic_load_n(own->count, __ATOMIC_RELAXED) << count_shift | own->slot;
    const shadow_leaf *leaf = leaf_at(address);
    if (leaf && is_repeated(leaf, unit_at(address), now | kind | bytes)) return;
  }
  interlock_memory_check(own, address, kind | bytes, place);
}

/// Checks an access of up to 8 bytes, which may lie in two units.
__attribute__((always_inline)) static inline void check_access(uintptr_t address, uint32_t size,
                                                               shadow_cell kind,
                                                               uintptr_t place) {
  memory_thread *own = interlock_memory_own;
  if (own && (size == 1 || (address & (size - 1)) == 0)) {
    check_bytes(own, address, ((1u << size) - 1) << (address & 7), kind, place);
  } else {
    interlock_memory_check_rare(address, size, kind, place);
  }
}

/// Checks an access of any size.
void interlock_memory_check_range(uintptr_t address, size_t size, shadow_cell kind,
                                  uintptr_t place) HIDDEN;

#define PLACE ((uintptr_t)__builtin_return_address(0))
#define EXPORTED __attribute__((visibility("default")))

#endif
#endif
