// Races: describes both accesses, and reports each pair of places once.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

enum { most_pairs = 4096 };
/// The pairs that were reported, by hash; and how many.
static uint64_t pairs[most_pairs];
static uint64_t pair_count, race_count;
static interlock_memory_reporter reporter;

void interlock_memory_report_to(interlock_memory_reporter to) {
  __atomic_store_n(&reporter, to, __ATOMIC_RELEASE);
}
// Relaxed, both: a number for a reader.
uint64_t interlock_memory_pairs(void) { return __atomic_load_n(&pair_count, __ATOMIC_RELAXED); }
uint64_t interlock_memory_races(void) { return __atomic_load_n(&race_count, __ATOMIC_RELAXED); }

/// Whether a pair of places is new. The order of the two does not matter.
static bool is_new(uintptr_t one, uintptr_t other) {
  uintptr_t low = one < other ? one : other, high = one < other ? other : one;
  uint64_t key = ((uint64_t)low * 0x9e3779b97f4a7c15ull ^ high) * 0xd6e8feb86659fd93ull | 1;
  for (size_t probe = 0; probe < most_pairs; probe++) {
    uint64_t *at = &pairs[(key >> 40 ^ key >> 20) + probe & (most_pairs - 1)];
    uint64_t found = 0;
    // Relaxed: only this word matters.
    if (__atomic_compare_exchange_n(at, &found, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_fetch_add(&pair_count, 1, __ATOMIC_RELAXED);
      return true;
    }
    if (found == key) return false;
  }
  return false;
}

/// Adds what is kept of an epoch. Its thread may be writing the ring: what it overwrites has
/// another count then.
static void add_situation(interlock_memory_side *side, uint32_t slot, uint64_t count) {
  const slot_history *history = interlock_memory_of_slot(slot);
  // Acquire: pairs with the release in `write_situation`.
  uint64_t written = __atomic_load_n(&history->situations, __ATOMIC_ACQUIRE);
  for (uint64_t back = 1; back <= kept_situations && back <= written; back++) {
    const situation *at = &history->ring[(written - back) % kept_situations];
    if (at->count < count) return;
    if (at->count > count) continue;
    side->is_known = true;
    side->thread = at->thread;
    side->task = at->task;
    memcpy(side->queue, at->queue, sizeof side->queue);
    side->queue[sizeof side->queue - 1] = 0;
    side->held_count = at->held_count <= INTERLOCK_MEMORY_HELD ? at->held_count : 0;
    memcpy(side->held, at->held, sizeof side->held);
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

void interlock_memory_found(memory_thread *own, uintptr_t unit, shadow_cell now, uintptr_t place,
                            shadow_cell before, uint32_t before_place) {
  __atomic_fetch_add(&race_count, 1, __ATOMIC_RELAXED);
  uint32_t slot = cell_slot(before);
  // Another thread may be replacing the cell: its number has another slot then.
  if (before_place >> place_bits != slot) before_place = 0;
  uintptr_t other = 0;
  interlock_memory_stack(before_place, &other, 1);
  if (!is_new(place, other)) return;
  interlock_memory_race race;
  memset(&race, 0, sizeof race);
  describe(&race.now, unit, now);
  describe(&race.before, unit, before);
  race.now.frame_count = interlock_memory_stack(interlock_memory_place(own, place),
                                                race.now.frames, INTERLOCK_MEMORY_FRAMES);
  race.before.frame_count =
      interlock_memory_stack(before_place, race.before.frames, INTERLOCK_MEMORY_FRAMES);
  add_situation(&race.now, cell_slot(now), cell_count(now));
  add_situation(&race.before, slot, cell_count(before));
  interlock_memory_reporter report = __atomic_load_n(&reporter, __ATOMIC_ACQUIRE);
  if (!report) return;
  // The reporter's own code may be instrumented, and calls functions that are interposed.
  interlock_memory_own = NULL;
  interlock_events_hide_thread(true);
  report(&race);
  interlock_events_hide_thread(false);
  interlock_memory_own = own;
}

#endif
