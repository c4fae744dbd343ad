// The check of an access: FastTrack's rule over the cells of one unit.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

/// Whether the access of a cell happens before the thread's next step.
static inline bool is_before(const memory_thread *own, shadow_cell cell) {
  return interlock_clock_has_seen(own->clock, cell_slot(cell), cell_count(cell));
}

static inline bool can_race(shadow_cell one, shadow_cell other) {
  return ((one | other) & CELL_WRITES) && !(one & other & CELL_IS_ATOMIC);
}

/// Whether every later access that races with `before` races with `now` too, which comes after it:
/// `now` has all its bytes, and excludes as much.
static inline bool replaces(shadow_cell now, shadow_cell before) {
  if (before & 0xff & ~now) return false;
  if ((before & CELL_WRITES) && !(now & CELL_WRITES)) return false;
  return (before & CELL_IS_ATOMIC) || !(now & CELL_IS_ATOMIC);
}

/// What is to be done with a cell of the unit.
typedef enum { CELL_STAYS, CELL_IS_FREE, CELL_IS_REPLACED, CELL_COVERS } cell_use;

static cell_use use_of(memory_thread *own, uintptr_t unit, shadow_cell now, uintptr_t place,
                       shadow_cell before, uint32_t before_place) {
  if (!before) return CELL_IS_FREE;
  if (!(before & now & 0xff)) return CELL_STAYS;
  if (!is_before(own, before)) {
    if (!can_race(now, before)) return CELL_STAYS;
    interlock_memory_found(own, unit, now, place, before, before_place);
    // Once reported, the pair is known.
    return CELL_IS_REPLACED;
  }
  shadow_cell epoch = ~(shadow_cell)0xff & ~(CELL_WRITES | CELL_IS_ATOMIC);
  if ((before & epoch) == (now & epoch) && replaces(before, now)) return CELL_COVERS;
  return replaces(now, before) ? CELL_IS_REPLACED : CELL_STAYS;
}

/// Which cell an access takes if none is free: spread over all, and over the epochs.
static int any_cell(shadow_cell now, uintptr_t unit) {
  uint64_t mixed = (now ^ unit << 7) * 0x9e3779b97f4a7c15ull;
  return (int)(mixed >> 62);
}

/// The place of a cell. It carries the slot, which shows whether it belongs to the cell. Relaxed:
/// for that reason.
static inline uint32_t place_of(const shadow_leaf *leaf, size_t unit, int index) {
  return __atomic_load_n(&leaf->places[unit][index], __ATOMIC_RELAXED);
}

/// Stores an access again that another thread had stored at the same moment, if a cell is free.
static void put_back(shadow_leaf *leaf, size_t unit, shadow_cell cell, uint32_t place) {
  for (int index = 0; index < cells_in_unit && cell; index++) {
    shadow_cell none = 0;
    // Relaxed: the cell's own thread has stored it before it read the others.
    if (!__atomic_compare_exchange_n(&leaf->cells[unit][index], &none, cell, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      continue;
    }
    __atomic_store_n(&leaf->places[unit][index], place, __ATOMIC_RELAXED);
    return;
  }
}

/// Stores the access in a cell. Exchanges: a full barrier, after which the cells are read again. Of
/// two threads that access the unit at once, each stores before it reads, so one sees the other.
static void store(memory_thread *own, uintptr_t base, shadow_leaf *leaf, int chosen,
                  shadow_cell now, uintptr_t place, uint32_t here, const shadow_cell *seen) {
  size_t unit = unit_at(base);
  uint32_t displaced_place =
      __atomic_exchange_n(&leaf->places[unit][chosen], here, __ATOMIC_RELAXED);
  shadow_cell displaced = __atomic_exchange_n(&leaf->cells[unit][chosen], now, __ATOMIC_SEQ_CST);
  if (displaced != seen[chosen]) {
    use_of(own, base, now, place, displaced, displaced_place);
    put_back(leaf, unit, displaced, displaced_place);
  }
  for (int index = 0; index < cells_in_unit; index++) {
    if (index == chosen) continue;
    shadow_cell again = __atomic_load_n(&leaf->cells[unit][index], __ATOMIC_RELAXED);
    if (again == seen[index]) continue;
    use_of(own, base, now, place, again, place_of(leaf, unit, index));
  }
}

static void check(memory_thread *own, uintptr_t address, shadow_cell now, uintptr_t place) {
  shadow_leaf *leaf = leaf_at(address);
  if (!leaf && !(leaf = interlock_make_leaf(address))) return;
  size_t unit = unit_at(address);
  uintptr_t base = address & ~(uintptr_t)7;
  uint32_t here = interlock_memory_place(own, place);
  shadow_cell seen[cells_in_unit];
  int chosen = -1;
  cell_use chosen_use = CELL_STAYS;
  for (int index = 0; index < cells_in_unit; index++) {
    // Relaxed: a cell that another thread stores meanwhile is read again after the store.
    seen[index] = __atomic_load_n(&leaf->cells[unit][index], __ATOMIC_RELAXED);
    cell_use use =
        use_of(own, base, now, place, seen[index], place_of(leaf, unit, index));
    if (use == CELL_COVERS) return;
    if (use <= chosen_use) continue;
    chosen = index;
    chosen_use = use;
  }
  if (chosen < 0) chosen = any_cell(now, base);
  store(own, base, leaf, chosen, now, place, here, seen);
}

__attribute__((noinline)) void interlock_memory_check(memory_thread *own, uintptr_t address,
                                                      shadow_cell now, uintptr_t place) {
  // A signal's handler that interrupts the check, or a change of the clock, is not checked.
  if (is_interrupted(own)) return;
  own->is_busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (interlock_memory_settle(own)) {
    // The clock may have a new epoch.
    shadow_cell kind = now & (CELL_WRITES | CELL_IS_ATOMIC | 0xff);
    interlock_memory_keep_situation(own);
    check(own, address, epoch_of(own) | kind, place);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = false;
}

void interlock_memory_check_range(uintptr_t address, size_t size, shadow_cell kind,
                                  uintptr_t place) {
  memory_thread *own = own_memory();
  if (!own || size == 0) return;
  uintptr_t end = address + size;
  if (address & 7) {
    size_t first = 8 - (address & 7);
    if (first > size) first = size;
    check_bytes(own, address, bytes_of(address, (uint32_t)first), kind, place);
    address += first;
  }
  for (; address + 8 <= end; address += 8) check_bytes(own, address, 0xff, kind, place);
  if (address < end) {
    check_bytes(own, address, bytes_of(address, (uint32_t)(end - address)), kind, place);
  }
}

#endif
