// Races: describes both accesses, and reports each pair of places once to each scope.
#include "interlock_performer.h"
#include "../memory_thread.h"
#include "../Code/plain_code.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>
#include <time.h>

enum { most_pairs = 4096, generation_bits = 20 };
#define GENERATION (((uint64_t)1 << generation_bits) - 1)
/// The pairs that were reported: a hash of the places and the scope, and the generation of the
/// report. An entry of an earlier generation counts as free.
static uint64_t pairs[most_pairs];
/// The generation, from 1: each scope that begins, and each explored execution, has a new one.
/// `reported_in` is the last generation with a report: if it is not the current one, there is
/// nothing to forget.
static uint64_t generation = 1, reported_in;
static uint64_t pair_count, race_count;
static interlock_memory_reporter reporter;

void interlock_memory_report_to(interlock_memory_reporter to) {
  __atomic_store_n(&reporter, to, __ATOMIC_RELEASE);
}
// Relaxed: a number for a reader.
uint64_t interlock_memory_pairs(void) { return __atomic_load_n(&pair_count, __ATOMIC_RELAXED); }
// Acquire: pairs with the release in `found`.
uint64_t interlock_memory_races(void) { return __atomic_load_n(&race_count, __ATOMIC_ACQUIRE); }

/// True if a pair of places is new in the scope and the generation. The order of the two places
/// does not matter. A race that is not decided counts apart from a decided race of the same pair.
static bool is_new(uintptr_t one, uintptr_t other, uint64_t scope, bool is_decided) {
  uintptr_t low = one < other ? one : other, high = one < other ? other : one;
  uint64_t hash = ((uint64_t)low * 0x9e3779b97f4a7c15ull ^ high) * 0xd6e8feb86659fd93ull;
  hash = (hash ^ hash >> 32 ^ (scope << 1 | is_decided)) * 0x9e3779b97f4a7c15ull;
  // Relaxed, all: each word stands alone. A pair that is found while a scope begins may be reported
  // twice.
  uint64_t now = __atomic_load_n(&generation, __ATOMIC_RELAXED) & GENERATION;
  uint64_t key = (hash & ~GENERATION) | now;
  for (size_t probe = 0; probe < most_pairs; probe++) {
    uint64_t *at = &pairs[(hash >> 40 ^ hash >> 20) + probe & (most_pairs - 1)];
    uint64_t found = __atomic_load_n(at, __ATOMIC_RELAXED);
    while ((found & GENERATION) != now) {
      if (!__atomic_compare_exchange_n(at, &found, key, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED)) {
        continue;
      }
      __atomic_store_n(&reported_in, now, __ATOMIC_RELAXED);
      __atomic_fetch_add(&pair_count, 1, __ATOMIC_RELAXED);
      return true;
    }
    if (found == key) return false;
  }
  return false;
}

void interlock_memory_scope_begins(void) {
  // Relaxed: see `is_new`.
  uint64_t now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
  if (__atomic_load_n(&reported_in, __ATOMIC_RELAXED) != (now & GENERATION)) return;
  // Skip 0, which marks an entry that was never used.
  uint64_t next = (now & GENERATION) == GENERATION ? now + 2 : now + 1;
  // If the exchange fails, another scope that began at the same time has set the same new
  // generation.
  __atomic_compare_exchange_n(&generation, &now, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/// The scope of the thread's last checked access.
static uint64_t last_scope(const memory_thread *own) {
  const slot_history *history = own->history;
  if (history->moments == 0) return 0;
  const situation_moment *last = &history->moment[(history->moments - 1) % kept_moments];
  return history->ring[last->situation % kept_situations].scope;
}

/// Copies a situation. Returns false if its thread may have overwritten it meanwhile, which the
/// number shows.
static bool copy_situation(interlock_memory_side *side, const slot_history *history,
                           uint64_t number) {
  const situation *at = &history->ring[number % kept_situations];
  side->thread = at->thread;
  side->explored_thread = at->explored_thread;
  side->task = at->task;
  side->scope = at->scope;
  memcpy(side->queue, at->queue, sizeof side->queue);
  side->queue[sizeof side->queue - 1] = 0;
  side->held_count = at->held_count <= INTERLOCK_MEMORY_HELD ? at->held_count : 0;
  memcpy(side->held, at->held, sizeof side->held);
  // Acquire, as a fence: the number is read after the copy.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return number + kept_situations > __atomic_load_n(&history->situations, __ATOMIC_RELAXED);
}

/// Adds the situation of an epoch of a slot to one side of a race, if it is still kept.
static void add_situation(interlock_memory_side *side, uint32_t slot, uint64_t moment) {
  const slot_history *history = interlock_memory_of_slot(slot);
  // Acquire: pairs with the release in `write_moment`.
  uint64_t written = __atomic_load_n(&history->moments, __ATOMIC_ACQUIRE);
  for (uint64_t back = 1; back <= kept_moments && back <= written; back++) {
    const situation_moment *at = &history->moment[(written - back) % kept_moments];
    if (at->moment < moment) return;
    if (at->moment > moment) continue;
    side->is_known = copy_situation(side, history, at->situation);
    if (!side->is_known) {
      side->thread = side->explored_thread = side->held_count = 0;
      side->task = side->queue[0] = 0;
    }
    return;
  }
}

static void describe(interlock_memory_side *side, uintptr_t unit, shadow_cell cell) {
  side->is_write = cell & CELL_WRITES;
  side->is_atomic = cell & CELL_IS_ATOMIC;
  uint32_t bytes = cell & 0xff;
  side->address = unit + (uint32_t)__builtin_ctz(bytes);
  side->size = (uint32_t)__builtin_popcount(bytes);
}

/// The cell of a lock. It has no bytes, so no access is compared with it. The bits of the slot hold
/// the offset in the unit at which the lock begins.
static inline shadow_cell lock_mark(uintptr_t lock) {
  return CELL_WRITES | CELL_IS_ATOMIC | (shadow_cell)(lock & 7) << slot_shift;
}

void interlock_memory_lock_made(const void *lock) {
  uintptr_t address = (uintptr_t)lock;
  if (!interlock_memory_own || address >> address_bits) return;
  shadow_leaf *leaf = leaf_at(address);
  if (!leaf && !(leaf = interlock_make_leaf(address))) return;
  size_t unit = unit_at(address);
  shadow_cell mark = lock_mark(address);
  // Takes the first free cell, as for an access. Relaxed, both: a thread that uses the lock comes
  // after its initialisation.
  for (int index = 0; index < cells_in_unit; index++) {
    shadow_cell found = 0;
    mark_used(leaf, index, unit);
    if (__atomic_compare_exchange_n(&leaf->cells[index][unit], &found, mark, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        found == mark) {
      return;
    }
  }
  // A unit may contain two locks, each with its own cell.
  int index = cells_in_unit - 1 - (int)(address >> 2 & 1);
  __atomic_store_n(&leaf->cells[index][unit], mark, __ATOMIC_RELAXED);
}

static bool is_marked_lock(uintptr_t address) {
  const shadow_leaf *leaf = leaf_at(address);
  for (int index = 0; leaf && index < cells_in_unit; index++) {
    shadow_cell cell = __atomic_load_n(&leaf->cells[index][unit_at(address)], __ATOMIC_RELAXED);
    if (cell == lock_mark(address)) return true;
    if (!cell) return false;
  }
  return false;
}

static bool is_lock(uintptr_t address) {
  return is_marked_lock(address) || interlock_clock_is_lock(address);
}

// NULL in a program that does not explore. The first one brackets the naming of an explored
// thread's race, which may take seconds.
void interlock_explored_names_race(bool begins) __attribute__((weak));
void interlock_explored_memory_undecided(void) __attribute__((weak));

static void report(const interlock_memory_race *race) {
  interlock_memory_reporter call = __atomic_load_n(&reporter, __ATOMIC_ACQUIRE);
  if (!call) return;
  bool is_explored = interlock_marks.controlled && interlock_explored_names_race;
  if (is_explored && race->may_be_ordered) {
    interlock_explored_memory_undecided();
    return;
  }
  // The reporter's own code may be instrumented, and may make interposed calls.
  memory_thread *own = interlock_memory_own;
  interlock_memory_own = NULL;
  interlock_events_hide_thread(true);
  if (is_explored) interlock_explored_names_race(true);
  call(race);
  if (is_explored) interlock_explored_names_race(false);
  interlock_events_hide_thread(false);
  interlock_memory_own = own;
}

/// The number of races, and of lists of races held back, that threads are describing or reporting,
/// and of those that the calling thread is.
static uint32_t described;
static __thread uint32_t described_here __attribute__((tls_model("initial-exec")));

static void begin_describing(void) {
  // Relaxed: the release of `race_count`, or of the list's count, follows.
  __atomic_fetch_add(&described, 1, __ATOMIC_RELAXED);
  described_here++;
}

static void end_describing(void) {
  described_here--;
  // Release: a thread that waits for the reports sees what they have added.
  __atomic_fetch_sub(&described, 1, __ATOMIC_RELEASE);
}

/// Holds a race back until the thread's next access, or the end of the function. Both accesses may
/// pass a lock, and only the call that follows will show whether the address is one.
static bool hold_back(memory_thread *own, const interlock_memory_race *race) {
  // Acquire: pairs with the release of 0 in `report_list`. Another thread has read the list.
  uint32_t count = __atomic_load_n(&own->held_back_count, __ATOMIC_ACQUIRE);
  if (count >= most_held_back) return false;
  own->held_back[count] = *race;
  own->held_back_depth = own->depth;
  // Release: pairs with the acquire in `report_list`. If the exchange fails, another thread is
  // reporting the list as it was before, at the end of the process.
  return __atomic_compare_exchange_n(&own->held_back_count, &count, count + 1, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/// Reports the races that a thread has held back, except those of locks. The calling thread need
/// not be that thread.
static void report_list(memory_thread *of) {
  begin_describing();
  // Relaxed: the exchange below reads the count again.
  uint32_t count = __atomic_load_n(&of->held_back_count, __ATOMIC_RELAXED);
  // Acquire: the races up to the count are whole. Release: a thread that reads `being_reported`
  // also reads `described`.
  bool is_taken = count > 0 && count <= most_held_back &&
                  __atomic_compare_exchange_n(&of->held_back_count, &count, being_reported, false,
                                              __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  for (uint32_t index = 0; is_taken && index < count; index++) {
    if (is_lock(of->held_back[index].now.address)) {
      __atomic_fetch_sub(&race_count, 1, __ATOMIC_RELAXED);
      __atomic_fetch_sub(&pair_count, 1, __ATOMIC_RELAXED);
    } else {
      report(&of->held_back[index]);
    }
  }
  // Release: pairs with the acquire in `hold_back`, which overwrites the races.
  if (is_taken) __atomic_store_n(&of->held_back_count, 0, __ATOMIC_RELEASE);
  end_describing();
}

__attribute__((noinline)) void interlock_memory_report_held_back(memory_thread *own) {
  if (!is_interrupted(own)) report_list(own);
}

/// Called when the calling thread's record is released, and another thread may take its slot.
void interlock_memory_thread_ends(void) {
  memory_thread *own = interlock_memory_thread;
  if (own && holds_back(own)) interlock_memory_report_held_back(own);
  interlock_memory_end_thread();
}

void interlock_memory_races_forked(void) {
  // Relaxed, both: the child has one thread. The others report their races in the parent.
  __atomic_store_n(&described, described_here, __ATOMIC_RELAXED);
  memory_thread *of;
  for (uint32_t slot = 0; (of = interlock_memory_thread_of_slot(slot)); slot++) {
    // Relaxed: see above.
    __atomic_store_n(&of->held_back_count, 0, __ATOMIC_RELAXED);
  }
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Waits until the races that other threads are describing are reported. The caller may hold a lock
/// that a report needs, so the wait has an end.
static void await_described(int64_t end) {
  // Acquire: pairs with the release in `end_describing`.
  while (__atomic_load_n(&described, __ATOMIC_ACQUIRE) > described_here && milliseconds() < end) {
    interlock_give_way();
  }
}

/// Reports the races that other threads have held back. These threads may wait for ever, or be
/// ended by the process's end, so none of their accesses or returns may come. A running thread may
/// be about to pass the lock to a call, and gets a short time to do so.
static void report_others(void) {
  enum { shortly = 100 };
  int64_t end = milliseconds() + shortly;
  memory_thread *of;
  for (uint32_t slot = 0; (of = interlock_memory_thread_of_slot(slot)); slot++) {
    // Acquire: pairs with the release in `hold_back`. Of two threads that report one list, this one
    // then waits for the other in `await_described`.
    while (__atomic_load_n(&of->held_back_count, __ATOMIC_ACQUIRE) > 0 && milliseconds() < end) {
      interlock_give_way();
    }
    report_list(of);
  }
}

void interlock_memory_await_reports(void) {
  enum { longest = 60000 };
  int64_t end = milliseconds() + longest;
  // The caller ends the process, so no access and no return will report these.
  memory_thread *own = interlock_memory_own;
  if (own && holds_back(own)) interlock_memory_report_held_back(own);
  // A race that another thread is describing may be held back then, and that thread may begin to
  // report it while the lists are read.
  await_described(end);
  report_others();
  await_described(end);
}

static void found(memory_thread *own, uintptr_t unit, shadow_cell now, uintptr_t place,
                  shadow_cell before, uint32_t before_place, bool may_be_lock) {
  // Release: a thread that reads the count waits for the report.
  __atomic_fetch_add(&race_count, 1, __ATOMIC_RELEASE);
  uint32_t slot = cell_slot(before);
  // Another thread may be replacing the cell: then the place has another slot.
  if (before_place >> place_bits != slot) before_place = 0;
  uintptr_t other = 0;
  interlock_memory_stack(before_place, &other, 1);
  explored_race kind = interlock_memory_race_of(place, other);
  if (kind == RACE_IS_SHOWN_ELSEWHERE) return;
  interlock_memory_race race;
  memset(&race, 0, sizeof race);
  interlock_plain_code_judge(own, before, &race);
  if (!is_new(place, other, last_scope(own), !race.may_be_ordered)) return;
  race.is_at_points = kind == RACE_IS_AT_POINTS;
  describe(&race.now, unit, now);
  describe(&race.before, unit, before);
  race.now.frame_count = interlock_memory_stack(interlock_memory_place(own, place),
                                                race.now.frames, INTERLOCK_MEMORY_FRAMES);
  race.before.frame_count =
      interlock_memory_stack(before_place, race.before.frames, INTERLOCK_MEMORY_FRAMES);
  add_situation(&race.now, cell_slot(now), cell_moment(now));
  add_situation(&race.before, slot, cell_moment(before));
  if (!may_be_lock || !hold_back(own, &race)) report(&race);
}

void interlock_memory_found(memory_thread *own, uintptr_t unit, shadow_cell now, uintptr_t place,
                            shadow_cell before, uint32_t before_place) {
  bool may_be_lock = may_pass_lock(now) && may_pass_lock(before) && (now & 0xff) == (before & 0xff);
  if (may_be_lock && is_lock(unit + (uint32_t)__builtin_ctz(now & 0xff))) return;
  if (interlock_mutex_orders(own, before)) return;
  begin_describing();
  found(own, unit, now, place, before, before_place, may_be_lock);
  end_describing();
}

#endif
