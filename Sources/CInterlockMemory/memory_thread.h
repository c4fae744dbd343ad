// What the check keeps of each thread. Not for users of the target.
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
};

/// A call that is being made: where it returns to, the stack pointer in it, and its node in the
/// tree of stacks under the node `above` (0 until an access in it needs one).
typedef struct {
  uintptr_t returns_to, stack;
  uint32_t node, above;
} memory_frame;

/// A node that was looked up: the call site, under its caller's node.
typedef struct {
  uintptr_t place;
  uint32_t above, node;
} known_place;

/// What was so while a thread made accesses.
typedef struct {
  uint64_t task;
  uint64_t scope;
  uint32_t thread, explored_thread;
  uint32_t held_count;
  interlock_memory_held held[INTERLOCK_MEMORY_HELD];
  char queue[INTERLOCK_MEMORY_LABEL];
} situation;

/// An epoch and the situation in it, as in a cell, and the situation by its number.
typedef struct {
  uint64_t moment, situation;
} situation_moment;

/// What is kept of each slot; the next thread or task of the slot goes on with it. Its memory is
/// never freed.
typedef struct {
  /// The last clock that had the slot.
  const thread_clock *clock;
  /// Two rings, and how many entries of each were ever written. A loop that locks and unlocks makes
  /// moments, and no new situation.
  uint64_t moments, situations;
  situation_moment moment[kept_moments];
  situation ring[kept_situations];
} slot_history;

/// A situation that the thread was in lately: what it is found by, in which history it is, and its
/// number there.
typedef struct {
  uint64_t key, number;
  slot_history *history;
} recent_situation;

/// One for each thread.
typedef struct memory_thread {
  thread_record *record;
  /// The record's count of changes of the clock that this block follows.
  uint32_t clock_changes;
  /// The record's count itself. Of a thread whose accesses may be points, a count that it never
  /// has, so that the usual path, which compares the two, takes no access of it.
  const uint32_t *changes;
  /// The lowest address of the thread's stack; 0 if that is not known.
  uintptr_t stack_low;
  /// The clock of what the thread does: its own or its task's; its count and its slot, the latter
  /// at its place in a cell.
  thread_clock *clock;
  const uint64_t *count;
  shadow_cell slot;
  slot_history *history;
  /// Whether the thread is in the slow part: a signal's handler may interrupt it.
  bool is_busy;
  /// How many accesses of the slot's threads were compared with the cells: all but those that the
  /// usual path of `check_bytes` knows to be repeated.
  uint64_t compared;
  /// The calls that are being made; `depth` may be larger than the list. Of the outermost `linked`
  /// ones, as far as they are still made, the node is the one under the next outer call's node.
  uint32_t depth, linked;
  /// What was so at the last access that was checked: the epoch, and words that differ if the locks
  /// that are held, or the code that runs, have changed within the epoch; the situation's number in
  /// the epoch, at its place in a cell; and how many events the thread had had. `unchanged` is the
  /// epoch again if the words can only change with the clock or by an event.
  uint64_t last_count, last_held, last_runs, last_events, unchanged;
  shadow_cell situation;
  /// The task that the thread ran then, if the task has a clock, which is the thread's: no event
  /// shows the end of a part of it. Else 0.
  uintptr_t task;
  /// The cells of the own slot from this epoch on are the thread's.
  shadow_cell oldest;
  /// How often the thread has come to another scope.
  uint64_t scope_changes;
  /// Whether the thread has called plain code (plain_calls.c), and has made no access since. How
  /// often its clock had learnt of others then.
  bool is_in_plain_code;
  uint64_t plain_lessons;
  /// The epoch for which the thread was seen to run no task.
  uint64_t settled;
  memory_frame frames[most_frames];
  known_place known[cached_places];
  /// One-time initialisations that the thread's clock has.
  uint64_t onces[seen_onces];
  recent_situation recent[recent_situations];
  uint32_t oldest_recent;
  /// The label of the thread's queue, and the run for which it was read.
  uint64_t queue_runs;
  char queue[INTERLOCK_MEMORY_LABEL];
  /// Races that may be no races (races.c), and the depth of the function that they are in.
  uint32_t held_back_count, held_back_depth;
  interlock_memory_race held_back[most_held_back];
} memory_thread;

/// The calling thread's; NULL while its accesses are not checked: one load decides both.
extern __thread memory_thread *interlock_memory_own
    __attribute__((tls_model("initial-exec"))) HIDDEN;
/// As above, but also while its accesses are ignored.
extern __thread memory_thread *interlock_memory_thread
    __attribute__((tls_model("initial-exec"))) HIDDEN;

/// Begins to check the calling thread's accesses; NULL if they are not checked now.
memory_thread *interlock_memory_begin_thread(void) HIDDEN;
/// What is kept of a slot.
slot_history *interlock_memory_of_slot(uint32_t slot) HIDDEN;
/// The thread runs another task, or none: takes over its clock.
void interlock_memory_follow_clock(memory_thread *own) HIDDEN;
bool interlock_memory_threads_prepare(void) HIDDEN;

/// The calling thread's; NULL if its accesses are not checked now.
static inline memory_thread *own_memory(void) {
  memory_thread *own = interlock_memory_own;
  return own ? own : interlock_memory_begin_thread();
}

/// The slot and the epoch of the thread's next access, as in a cell.
__attribute__((always_inline)) static inline shadow_cell epoch_of(memory_thread *own) {
  if (__builtin_expect(own->record->clock_changes != own->clock_changes, 0)) {
    interlock_memory_follow_clock(own);
  }
  // Relaxed: only the thread itself writes it.
  return __atomic_load_n(own->count, __ATOMIC_RELAXED) << count_shift | own->slot;
}

/// Whether a signal's handler has interrupted the check, or a change of the clock.
static inline bool is_interrupted(const memory_thread *own) {
  return own->is_busy || is_in_change();
}

/// The calling thread checks no more accesses (sight.c).
void interlock_memory_stop_thread(void) HIDDEN;
/// The same, and the thread does not begin again: its record is released.
void interlock_memory_end_thread(void) HIDDEN;
/// Above 0 while the thread runs code that is not to be checked.
extern __thread uint32_t interlock_memory_ignores
    __attribute__((tls_model("initial-exec"))) HIDDEN;

// Accesses as points of an exploration (points.c).

/// The count of a thread whose accesses may be points.
extern const uint32_t interlock_memory_never HIDDEN;
static inline bool has_points(const memory_thread *own) {
  return own->changes == &interlock_memory_never;
}
/// The function that a change in place calls first. Set before the check is on.
extern uintptr_t interlock_memory_change_entry HIDDEN;
/// Chooses how the thread's accesses are checked. With `is_explored`, they may be points.
void interlock_memory_choose_path(memory_thread *own, bool is_explored) HIDDEN;
/// Passes the writes of the calling thread, which is explored, to the explorer from now on.
void interlock_memory_watch_writes(void) HIDDEN;
/// A point before an access, if the call site is one of those that were set.
void interlock_memory_reach_point(uintptr_t address, size_t size, shadow_cell kind,
                                  uintptr_t place) HIDDEN;
/// What is to be done with a race of an explored thread.
typedef enum { RACE_FAILS, RACE_IS_AT_POINTS, RACE_IS_SHOWN_ELSEWHERE } explored_race;
explored_race interlock_memory_race_of(uintptr_t place, uintptr_t other) HIDDEN;
/// Memory that an explored thread gives back.
void interlock_memory_point_freed(uintptr_t address, size_t size) HIDDEN;

/// Brings the clock up to date, before its order is asked for. Returns false
/// if the thread's order is not known.
bool interlock_memory_settle(memory_thread *own) HIDDEN;
/// Keeps what is so now, for reports of later accesses of other threads. Returns the epoch with the
/// number of the situation, as in a cell.
shadow_cell interlock_memory_keep_situation(memory_thread *own) HIDDEN;

/// Gives the thread's clock to an object, or joins the object's.
void interlock_memory_order(bool gives, uintptr_t object) HIDDEN;
/// Joins the clocks of the mutexes that the thread has locked unseen. Returns whether the access of
/// the cell comes before the thread's code then.
bool interlock_mutex_orders(memory_thread *own, shadow_cell before) HIDDEN;
/// The bits of a node in a place's number; the slot is above.
enum { place_bits = 32 - slot_bits };

/// A node of the tree of call stacks: a call site under its caller's node.
typedef struct {
  uintptr_t place;
  uint32_t above;
  /// Whether the fields above are written: the number is found before they are.
  uint32_t is_whole;
} stack_node;
extern stack_node *interlock_stack_nodes HIDDEN;

/// The node of a place under the calls that the thread is making, and the thread's slot, in one
/// number; the node is 0 if there is no room.
uint32_t interlock_memory_place(memory_thread *own, uintptr_t place) HIDDEN;
/// The node of the innermost call that the thread is making; `UINT32_MAX` if it must be searched.
__attribute__((always_inline)) static inline uint32_t known_node_of_calls(memory_thread *own) {
  uint32_t depth = own->depth;
  if (depth == 0) return 0;
  if (own->linked >= depth) return own->frames[depth - 1].node;
  if (own->linked + 1 < depth || depth > most_frames) return UINT32_MAX;
  // A call that a loop makes again.
  const memory_frame *frame = &own->frames[depth - 1];
  if (!frame->node || frame->above != (depth > 1 ? frame[-1].node : 0)) return UINT32_MAX;
  own->linked = depth;
  return frame->node;
}
/// Whether a number that was stored beside a cell is the one above, if that needs no search.
__attribute__((always_inline)) static inline bool interlock_memory_is_place(
    memory_thread *own, uintptr_t place, uint32_t number) {
  // A number with the own slot was written by the slot's threads, so its node is whole.
  const stack_node *node = &interlock_stack_nodes[number & ((1u << place_bits) - 1)];
  return number >> place_bits == own->slot >> slot_shift && node->place == place &&
         node->above == known_node_of_calls(own);
}
/// Writes the stack of such a number, the access first; returns the number of frames.
uint32_t interlock_memory_stack(uint32_t place, uintptr_t *frames, uint32_t capacity) HIDDEN;
bool interlock_memory_stacks_prepare(void) HIDDEN;

/// The object that has a `Mutex` at an address as a constant property, from its own beginning to
/// its end; 0 if there is none, or if that is not certain: in a variable, a structure that is
/// assigned has a new one.
uintptr_t interlock_memory_block_of_lock(uintptr_t address) HIDDEN;

/// Records that an access races with the one of a cell.
void interlock_memory_found(memory_thread *own, uintptr_t unit, shadow_cell now, uintptr_t place,
                            shadow_cell before, uint32_t before_place) HIDDEN;

/// Reports the races that were held back, but for those of locks.
void interlock_memory_report_held_back(memory_thread *own) HIDDEN;
/// Whether an access may pass a lock to the C library, as `&lock` of a property: the compiler takes
/// it for a change of the property, of which it shows the first byte.
static inline bool may_pass_lock(shadow_cell cell) {
  uint32_t bytes = cell & 0xff;
  return (cell & CELL_WRITES) && !(bytes & (bytes - 1));
}

/// Checks an access of bytes of one unit that is not equal to a cell there, and stores it. `kind`
/// has the bytes as well.
void interlock_memory_check(memory_thread *own, uintptr_t address, shadow_cell kind,
                            uintptr_t place) HIDDEN;
/// As `check_access`, where the usual path does not do: the thread's first access, or one that may
/// lie in two units.
void interlock_memory_check_rare(uintptr_t address, uint32_t size, shadow_cell kind,
                                 uintptr_t place) HIDDEN;

/// Whether an access of the same epoch in the unit covers this one: then it has been checked.
__attribute__((always_inline)) static inline bool is_repeated(const shadow_leaf *leaf,
                                                              size_t unit, shadow_cell now) {
  // The cell may have more bytes, and may be a write where this is a read. Relaxed: another thread
  // may change a cell, but the own epoch's cell was written by this thread.
  shadow_cell ignored = now & CELL_WRITES ? CELL_SITUATION : CELL_SITUATION | CELL_WRITES;
  shadow_cell compared = (now | ~(shadow_cell)0xff) & ~ignored;
  for (int index = 0; index < cells_in_unit; index++) {
    shadow_cell found = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    if (((found ^ now) & compared) == 0) return true;
    // The upper ranks have no page yet if no cell of the page has them: a read would make one.
    if (!found) return false;
  }
  return false;
}

/// An access of bytes of one unit. The usual path makes no call, and so needs no stack.
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

/// An access of up to 8 bytes, which may lie in two units.
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

/// An access of any size.
void interlock_memory_check_range(uintptr_t address, size_t size, shadow_cell kind,
                                  uintptr_t place) HIDDEN;

#define PLACE ((uintptr_t)__builtin_return_address(0))
#define EXPORTED __attribute__((visibility("default")))

#endif
#endif
