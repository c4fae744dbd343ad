// The table of the signals of objects.
#include "signals.h"

#include <sys/mman.h>

enum { most_signals = 1 << 12 };

signal *interlock_signals;
static uint32_t used, first_free;

/// Removes the signal of an object that ends.
static void forget(known_lock *lock) {
  signal *known = signal_of(lock);
  uint32_t index = lock->node;
  lock->node = 0;
  if (!known || known->is_noted) return;
  known->next_free = first_free;
  first_free = index;
}

bool interlock_signals_prepare(void) {
  void *memory = mmap(NULL, most_signals * sizeof *interlock_signals, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  interlock_signals = memory;
  interlock_node_ends[true] = forget;
  return true;
}

/// Reuses the entry of a signal to which no order refers; that signal then counts as open. Returns
/// 0 if orders refer to all signals.
static uint32_t take_room(void) {
  static uint32_t next;
  for (uint32_t step = 0; step < most_signals; step++) {
    uint32_t index = next++ % most_signals;
    if (interlock_signals[index].is_noted) continue;
    known_lock *lock = interlock_find_lock(interlock_signals[index].object, interlock_signal_kind);
    if (lock && lock->node == index + 1) lock->node = open_node;
    return index + 1;
  }
  interlock_losses.signals = true;
  return 0;
}

uint32_t interlock_signal_make(void) {
  uint32_t made = first_free;
  if (made) {
    first_free = interlock_signals[made - 1].next_free;
  } else {
    made = used < most_signals ? ++used : take_room();
  }
  if (made) interlock_signals[made - 1] = (signal){0};
  return made;
}

void interlock_signal_open(known_lock *lock, uint32_t node) {
  signal *known = signal_of(lock);
  if (known) known->is_open = true;
  forget(lock);
  lock->node = node;
}

bool interlock_describe_signal(uint32_t index, uint32_t number, interlock_signal_view *view) {
  const signal *known = &interlock_signals[index - 1];
  *view = known->view;
  for (uint32_t gate = 0; gate < known->gate_count && !known->is_open; gate++) {
    if (known->numbers[gate] == number) return true;
  }
  return false;
}
