// Accesses that are points of an exploration, because they race. Another explored thread may run
// before each of them, so that the effects of the race on the program are explored as well.
//
// The points are set while no thread is explored. Explored threads read them, one at a time.
#include "interlock_explored_memory.h"
#include "interlock_performer.h"
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

// Calls of these functions show the beginning of a change in place, whose accesses the runtime may
// make.
void swift_beginAccess(void *, void *, uintptr_t, void *) __attribute__((weak));
uintptr_t interlock_memory_change_entry;

enum { most_points = 64, table_size = 256 };

/// A hash table by address; 0 for a free slot.
static struct {
  uintptr_t sites[table_size];
  size_t count;
  bool reports;
} points;

const uint32_t interlock_memory_never = UINT32_MAX;

static size_t slot_of(uintptr_t site) { return site * 0x9e3779b97f4a7c15ull >> 56; }

void interlock_memory_set_points(const uintptr_t *sites, size_t count, bool reports) {
  memset(&points, 0, sizeof points);
  points.reports = reports;
  if (!interlock_explored_memory_access) return;
  for (; points.count < count && points.count < most_points; points.count++) {
    size_t slot = slot_of(sites[points.count]);
    while (points.sites[slot]) slot = (slot + 1) % table_size;
    points.sites[slot] = sites[points.count];
  }
}

static bool is_point(uintptr_t place) {
  if (points.count == 0 || !place) return false;
  size_t slot = slot_of(place);
  while (points.sites[slot] && points.sites[slot] != place) slot = (slot + 1) % table_size;
  return points.sites[slot];
}

void interlock_memory_choose_path(memory_thread *own, bool is_explored) {
  bool may_be_points = is_explored && points.count > 0;
  own->changes = may_be_points ? &interlock_memory_never : &own->record->clock_changes;
}

void interlock_memory_watch_writes(void) {
  memory_thread *own = interlock_memory_own;
  if (!own || has_points(own)) return;
  own->changes = &interlock_memory_never;
  own->unchanged = UINT64_MAX;
}

/// True if the call that returns to `place` begins a change in place.
static bool begins_change(uintptr_t place) {
#if defined(__x86_64__)
  const unsigned char *code = (const unsigned char *)place;
  int32_t distance;
  memcpy(&distance, code - sizeof distance, sizeof distance);
  uintptr_t target = place + (uintptr_t)(intptr_t)distance;
  return code[-5] == 0xe8 && (target == (uintptr_t)swift_beginAccess ||
                              target == interlock_memory_change_entry);
#else
  return false;
#endif
}

static const char *name_of(shadow_cell kind, uintptr_t place) {
  if (!(kind & CELL_WRITES)) return "reads";
  return begins_change(place) ? "begins to change" : "writes";
}

void interlock_memory_reach_point(uintptr_t address, size_t size, shadow_cell kind,
                                  uintptr_t place) {
  // Atomic operations have their points in atomics.c.
  if (!interlock_is_controlled() || (kind & CELL_IS_ATOMIC)) return;
  if (is_point(place)) {
    interlock_explored_memory_access(address, size, !(kind & CELL_WRITES), name_of(kind, place),
                                     place);
  }
  if (kind & CELL_WRITES) interlock_explored_memory_written(address, size);
}

explored_race interlock_memory_race_of(uintptr_t place, uintptr_t other) {
  if (!interlock_marks.controlled || !is_point(place) || !is_point(other)) return RACE_FAILS;
  return points.reports ? RACE_IS_AT_POINTS : RACE_IS_SHOWN_ELSEWHERE;
}

void interlock_memory_point_freed(uintptr_t address, size_t size) {
  if (interlock_explored_memory_freed) interlock_explored_memory_freed(address, size);
}

#endif
