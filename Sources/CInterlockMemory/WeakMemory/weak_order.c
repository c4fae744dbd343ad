// The order of sequentially consistent events: RC11's relation psc, which must have no cycle.
//
// Built on the definitions of the paper: scb is the program order, the modification order, reads
// before later stores, happens-before on one location, and happens-before that begins and ends
// with the program order to another location.
#include "weak_memory.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

weak_graph *interlock_weak;
#define GRAPH interlock_weak

static bool is_fence(const weak_event *event) { return event->location == no_event; }

static bool happens_before(uint32_t a, uint32_t b) {
  return a != b && weak_bit(GRAPH->before[b], a);
}

/// The position of the store that an event reads; for a store, its own position.
static uint32_t place_of(const weak_event *event) {
  return event->writes ? event->position : GRAPH->events[event->read_from].position;
}

/// True if `a` is ordered before `b` on one location by the transitive closure of modification
/// order, reads-from, and reads before later stores.
static bool extended_coherence(uint32_t a, uint32_t b) {
  const weak_event *first = &GRAPH->events[a], *second = &GRAPH->events[b];
  if (a == b || is_fence(first) || first->location != second->location) return false;
  uint32_t one = place_of(first), other = place_of(second);
  return one < other || (one == other && first->writes && !second->writes);
}

static bool scb(uint32_t a, uint32_t b) {
  const weak_event *first = &GRAPH->events[a], *second = &GRAPH->events[b];
  if (a == b || first->is_initial || second->is_initial) return false;
  if (first->thread == second->thread && a < b) return true;
  if (weak_bit(GRAPH->runs[second->run].entered, a) && first->run != second->run) return true;
  if (is_fence(first) || first->location != second->location) return false;
  if (happens_before(a, b)) return true;
  // Reads-from alone does not count.
  return second->writes && place_of(first) < second->position;
}

/// True if the order holds from `a` to `b`. For a fence `a`, events that it happens before stand
/// for it as well; for a fence `b`, events that happen before it.
static bool fences_order(uint32_t a, uint32_t b) {
  bool from_fence = is_fence(&GRAPH->events[a]), to_fence = is_fence(&GRAPH->events[b]);
  if (from_fence && to_fence && happens_before(a, b)) return true;
  for (uint32_t x = 0; x < GRAPH->event_count; x++) {
    if (x != a && !(from_fence && happens_before(a, x))) continue;
    for (uint32_t y = 0; y < GRAPH->event_count; y++) {
      if (y != b && !(to_fence && happens_before(y, b))) continue;
      if (scb(x, y)) return true;
      if (from_fence && to_fence && extended_coherence(x, y)) return true;
    }
  }
  return false;
}

static bool is_ordered(uint32_t a, uint32_t b) {
  bool has_fence = is_fence(&GRAPH->events[a]) || is_fence(&GRAPH->events[b]);
  return has_fence ? fences_order(a, b) : scb(a, b);
}

/// True if a path leads from an event back to itself. Visits each event once.
static bool has_cycle(uint32_t from) {
  static uint32_t open[most_weak_events];
  static bool is_reached[most_weak_events];
  uint32_t open_count = 0;
  memset(is_reached, 0, GRAPH->event_count * sizeof *is_reached);
  open[open_count++] = from;
  while (open_count > 0) {
    uint32_t at = open[--open_count];
    for (uint32_t index = 0; index < GRAPH->sequential_count; index++) {
      uint32_t next = GRAPH->sequential[index];
      if (is_reached[next] || next == at || !is_ordered(at, next)) continue;
      if (next == from) return true;
      is_reached[next] = true;
      open[open_count++] = next;
    }
  }
  return false;
}

bool interlock_weak_order_holds(void) {
  for (uint32_t index = GRAPH->sequential_count; index-- > 0;) {
    if (has_cycle(GRAPH->sequential[index])) return false;
    // Without a fence, only the newest event can be on a new cycle.
    if (GRAPH->fence_count == 0) return true;
  }
  return true;
}

#endif
