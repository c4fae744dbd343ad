// The check of an access: FastTrack's rule over the cells of one unit.
#include "interlock_performer.h"
#include "memory_thread.h"
#include "Code/plain_code.h"

#ifdef INTERLOCK_INTERPOSES

#define CELL_SLOT ((((shadow_cell)1 << slot_bits) - 1) << slot_shift)
#define CELL_KIND (CELL_SLOT | CELL_WRITES | CELL_IS_ATOMIC | 0xff)

/// True if the access of a cell happens before the thread's next step.
__attribute__((always_inline)) static inline bool is_before(const memory_thread *own,
                                                            shadow_cell cell) {
  if ((cell & CELL_SLOT) == own->slot && cell >= own->oldest) return true;
  return interlock_clock_has_seen(own->clock, cell_slot(cell), cell_count(cell));
}

static inline bool can_race(shadow_cell one, shadow_cell other) {
  return ((one | other) & CELL_WRITES) && !(one & other & CELL_IS_ATOMIC);
}

/// True if every later access that races with `before` also races with `now`, which comes after it:
/// `now` covers all of its bytes, and excludes as much.
static inline bool replaces(shadow_cell now, shadow_cell before) {
  if (before & 0xff & ~now) return false;
  if ((before & CELL_WRITES) && !(now & CELL_WRITES)) return false;
  return (before & CELL_IS_ATOMIC) || !(now & CELL_IS_ATOMIC);
}

/// How an access uses a cell of its unit.
typedef enum { CELL_STAYS, CELL_IS_FREE, CELL_IS_REPLACED, CELL_COVERS } cell_use;

__attribute__((always_inline)) static inline cell_use use_of(
    memory_thread *own, uintptr_t unit, shadow_cell now, uintptr_t place, shadow_cell before,
    const uint32_t *before_place) {
  if (!before) return CELL_IS_FREE;
  if (!(before & now & 0xff)) return CELL_STAYS;
  if (__builtin_expect(!is_before(own, before), 0)) {
    if (!can_race(now, before)) return CELL_STAYS;
    interlock_memory_found(own, unit, now, place, before, *before_place);
    // A later access may race with the earlier one at another place.
    return replaces(now, before) ? CELL_IS_REPLACED : CELL_STAYS;
  }
  shadow_cell epoch =
      ~(shadow_cell)0xff & ~(CELL_WRITES | CELL_IS_ATOMIC | CELL_SITUATION);
  if ((before & epoch) == (now & epoch) && replaces(before, now)) return CELL_COVERS;
  return replaces(now, before) ? CELL_IS_REPLACED : CELL_STAYS;
}

/// Returns the cell that an access takes if none is free: the choice is spread over all cells, and
/// over the epochs.
static int any_cell(shadow_cell now, uintptr_t unit) {
  uint64_t mixed = (now ^ unit << 7) * 0x9e3779b97f4a7c15ull;
  return (int)(mixed >> 62);
}

/// Stores the access of another thread again, which was made at the same time and displaced here,
/// if a cell is free.
static void put_back(shadow_leaf *leaf, size_t unit, shadow_cell cell, uint32_t place) {
  for (int index = 0; index < cells_in_unit && cell; index++) {
    shadow_cell none = 0;
    // Relaxed: the cell's own thread stored it before it read the others.
    if (!__atomic_compare_exchange_n(&leaf->cells[index][unit], &none, cell, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      continue;
    }
    __atomic_store_n(&leaf->places[index][unit], place, __ATOMIC_RELAXED);
    return;
  }
}

/// Checks the access again, because other threads changed cells while it was stored. `displaced` is
/// the cell that the access replaced, if that is not the cell with which it was compared.
__attribute__((noinline)) static void check_again(memory_thread *own, uintptr_t base,
                                                  shadow_leaf *leaf, int chosen, shadow_cell now,
                                                  uintptr_t place, uint32_t number,
                                                  shadow_cell displaced,
                                                  uint32_t displaced_place) {
  size_t unit = unit_at(base);
  if (displaced) {
    // If the other thread has stored its place after this thread's, that is the place found here,
    // and this thread's must be stored again. Relaxed: a place carries its slot.
    uint32_t *at = &leaf->places[chosen][unit];
    uint32_t latest = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (displaced_place >> place_bits != cell_slot(displaced)) displaced_place = latest;
    __atomic_store_n(at, number, __ATOMIC_RELAXED);
  }
  use_of(own, base, now, place, displaced, &displaced_place);
  put_back(leaf, unit, displaced, displaced_place);
  for (int index = 0; index < cells_in_unit; index++) {
    if (index == chosen) continue;
    shadow_cell again = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    uint32_t again_place = __atomic_load_n(&leaf->places[index][unit], __ATOMIC_RELAXED);
    use_of(own, base, now, place, again, &again_place);
  }
}

/// Stores the access in a cell that had `before`. The exchange is a full barrier, after which the
/// cells are read again: of two threads that access the unit at once, each stores before it reads,
/// so at least one sees the other. `expected` are the cells after the store, unless another thread
/// changes them.
__attribute__((always_inline)) static inline void store(memory_thread *own, uintptr_t base,
                                                        shadow_leaf *leaf, int chosen,
                                                        shadow_cell now, uintptr_t place,
                                                        shadow_cell before,
                                                        const shadow_cell *expected,
                                                        uint32_t number) {
  size_t unit = unit_at(base);
  // Relaxed: a place carries the slot, which shows whether it belongs to a cell.
  uint32_t displaced_number = __atomic_load_n(&leaf->places[chosen][unit], __ATOMIC_RELAXED);
  if (number != displaced_number) {
    displaced_number = __atomic_exchange_n(&leaf->places[chosen][unit], number, __ATOMIC_RELAXED);
  }
  shadow_cell displaced = __atomic_exchange_n(&leaf->cells[chosen][unit], now, __ATOMIC_SEQ_CST);
  // One bit pattern for all cells, so that the usual path has one branch.
  shadow_cell changed = displaced ^ before;
  // If this access took a free cell, a thread that stores in a later cell sees this access.
  int last = before ? cells_in_unit - 1 : chosen;
  for (int index = 0; index <= last; index++) {
    shadow_cell found = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    changed |= found ^ expected[index];
    if (!found) break;
  }
  if (__builtin_expect(changed == 0, 1)) return;
  check_again(own, base, leaf, chosen, now, place, number, displaced == before ? 0 : displaced,
              displaced_number);
}

__attribute__((always_inline)) static inline void check(memory_thread *own, uintptr_t address,
                                                        shadow_cell now, uintptr_t place) {
  shadow_leaf *leaf = leaf_at(address);
  if (!leaf && !(leaf = interlock_make_leaf(address))) return;
  size_t unit = unit_at(address);
  uintptr_t base = address & ~(uintptr_t)7;
  shadow_cell seen[cells_in_unit] = {0};
  int chosen = -1;
  cell_use chosen_use = CELL_STAYS;
  for (int index = 0; index < cells_in_unit; index++) {
    // Relaxed: a cell that another thread stores meanwhile is read again after the store.
    seen[index] = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    cell_use use = use_of(own, base, now, place, seen[index], &leaf->places[index][unit]);
    if (use == CELL_COVERS) return;
    if (use > chosen_use) {
      chosen = index;
      chosen_use = use;
    }
    if (use == CELL_IS_FREE) break;
  }
  if (chosen < 0) chosen = any_cell(now, base);
  shadow_cell before = seen[chosen];
  seen[chosen] = now;
  if (!before) mark_used(leaf, chosen, unit);
  uint32_t number = interlock_memory_place(own, place);
  store(own, base, leaf, chosen, now, place, before, seen, number);
}

/// Checks an access by all cells of its unit.
__attribute__((noinline)) static void check_anew(memory_thread *own, uintptr_t address,
                                                 shadow_cell now, uintptr_t place) {
  own->is_busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  check(own, address, now, place);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = false;
}

/// Brings the thread's clock and its situation up to date before an access. Returns false if the
/// access is not checked.
__attribute__((noinline)) static bool come_up_to_date(memory_thread *own, uintptr_t address,
                                                       shadow_cell kind, uintptr_t place) {
  // The accesses of a signal handler that interrupts the check, or a change of the clock, are not
  // checked.
  if (is_interrupted(own)) return false;
  if (holds_back(own) && !may_pass_lock(kind)) interlock_memory_report_held_back(own);
  if (has_points(own)) {
    uint32_t bytes = kind & 0xff, first = (uint32_t)__builtin_ctz(bytes);
    interlock_memory_reach_point((address & ~(uintptr_t)7) + first,
                                 (size_t)__builtin_popcount(bytes), kind, place);
  }
  own->is_busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  (void)epoch_of(own);
  bool is_known = interlock_memory_settle(own);
  if (is_known && own->is_in_plain_code) interlock_plain_call_ended(own);
  if (is_known) interlock_memory_keep_situation(own);
  // With points, make the next access come here too.
  if (has_points(own)) own->unchanged = UINT64_MAX;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = false;
  return is_known;
}

/// True if the thread has had no event, and has run no other code, since the last checked access:
/// its clock is up to date, and its situation is the same.
__attribute__((always_inline)) static inline bool is_unchanged(const memory_thread *own) {
  thread_record *record = own->record;
  return own->unchanged == *own->count && own->clock_changes == record->clock_changes &&
         own->last_events == record->waits.view.sequence && !is_interrupted(own) &&
         (!own->task || own->task == current_task(own->record)) &&
         !holds_back(own) && !interlock_marks.hidden && interlock_tracker_locks == 0 &&
         !interlock_clocks_are_blind() &&
         // Relaxed: as in `interlock_memory_settle`.
         __atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED);
}

/// Stores an access in the cell of an earlier epoch's access, if the call stack is the same. All
/// cells of the unit happen before the access.
__attribute__((always_inline)) static inline bool renew(memory_thread *own, uintptr_t address,
                                                        shadow_leaf *leaf, int chosen,
                                                        shadow_cell now, uintptr_t place,
                                                        shadow_cell *cells) {
  uint32_t number = __atomic_load_n(&leaf->places[chosen][unit_at(address)], __ATOMIC_RELAXED);
  if (!interlock_memory_is_place(own, place, number)) return false;
  shadow_cell before = cells[chosen];
  cells[chosen] = now;
  store(own, address & ~(uintptr_t)7, leaf, chosen, now, place, before, cells, number);
  return true;
}

/// Prefetches a cache line for writing. If another processor has the line, a read and then a write
/// would move it twice.
static inline void fetch_to_write(const void *line) {
#if defined(__x86_64__)
  // The compiler emits this instruction for newer processors only; the others ignore it.
  __asm__ volatile("prefetchw (%0)" : : "r"(line));
#else
  __builtin_prefetch(line, 1);
#endif
}

// The fast path for a loop that locks and unlocks, most of whose accesses were also made in the
// last epoch. If all cells happen before this access, there is no race, and the cell of that
// earlier access gets the new epoch. This path changes nothing of the thread's own, so a signal
// handler may interrupt it.
__attribute__((noinline)) void interlock_memory_check(memory_thread *own, uintptr_t address,
                                                      shadow_cell kind, uintptr_t place) {
  // Relaxed: only the thread itself writes it.
  __atomic_store_n(&own->compared, own->compared + 1, __ATOMIC_RELAXED);
  if (!is_unchanged(own) && !come_up_to_date(own, address, kind, place)) return;
  shadow_cell now = *own->count << count_shift | own->slot | own->situation | kind;
  shadow_leaf *leaf = leaf_at(address);
  if (!leaf) return check_anew(own, address, now, place);
  size_t unit = unit_at(address);
  fetch_to_write(&leaf->cells[0][unit]);
  fetch_to_write(&leaf->places[0][unit]);
  shadow_cell cells[cells_in_unit] = {0};
  // A rolled loop would keep the cells in memory.
#pragma clang loop unroll(full)
  for (int index = 0; index < cells_in_unit; index++) {
    // Relaxed: see `check`.
    cells[index] = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    if (!cells[index]) break;
    if (!is_before(own, cells[index])) return check_anew(own, address, now, place);
  }
#pragma clang loop unroll(full)
  for (int index = 0; index < cells_in_unit; index++) {
    bool is_same = ((cells[index] ^ now) & CELL_KIND) == 0;
    if (is_same && renew(own, address, leaf, index, now, place, cells)) return;
  }
  check_anew(own, address, now, place);
}

__attribute__((noinline)) void interlock_memory_check_rare(uintptr_t address, uint32_t size,
                                                           shadow_cell kind, uintptr_t place) {
  memory_thread *own = own_memory();
  if (!own) return;
  uint32_t bytes = ((1u << size) - 1) << (address & 7);
  check_bytes(own, address, bytes & 0xff, kind, place);
  if (bytes >> 8) check_bytes(own, (address | 7) + 1, bytes >> 8, kind, place);
}

void interlock_memory_check_range(uintptr_t address, size_t size, shadow_cell kind,
                                  uintptr_t place) {
  memory_thread *own = own_memory();
  if (!own || size == 0) return;
  uintptr_t end = address + size;
  const uint32_t *changes = own->changes;
  if (has_points(own)) {
    // One point for the whole range.
    interlock_memory_reach_point(address, size, kind, place);
    interlock_memory_choose_path(own, false);
  }
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
  if (own->changes == changes) return;
  own->changes = changes;
  own->unchanged = UINT64_MAX;
}

#endif
