// The shadow's memory: made when an address is first accessed, and forgotten with the memory.
#include "shadow.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>
#include <sys/mman.h>

shadow_leaf **interlock_shadow;

static void *reserve(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

bool interlock_shadow_prepare(void) {
  interlock_shadow = reserve(sizeof(shadow_leaf *) << (address_bits - leaf_shift));
  return interlock_shadow != NULL;
}

shadow_leaf *interlock_make_leaf(uintptr_t address) {
  if (address >> address_bits) return NULL;
  shadow_leaf *made = reserve(sizeof *made);
  if (!made) {
    interlock_memory_lose_sight("there is no memory for the shadow");
    return NULL;
  }
  // One page in a thousand is used: a huge page would cost what all of them do.
  madvise(made, sizeof *made, MADV_NOHUGEPAGE);
  shadow_leaf *found = NULL;
  // Release: pairs with the acquire in `leaf_at`.
  if (__atomic_compare_exchange_n(&interlock_shadow[address >> leaf_shift], &found, made, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return made;
  }
  munmap(made, sizeof *made);
  return found;
}

enum { page = 4096, much = 16 * page };

/// Zeroes memory of the shadow: by the system if it is much, which gives its pages back.
static void zero(void *from, size_t size) {
  if (size < much) {
    memset(from, 0, size);
    return;
  }
  uintptr_t low = ((uintptr_t)from + page - 1) & -(uintptr_t)page;
  uintptr_t high = ((uintptr_t)from + size) & -(uintptr_t)page;
  memset(from, 0, low - (uintptr_t)from);
  madvise((void *)low, high - low, MADV_DONTNEED);
  memset((void *)high, 0, (uintptr_t)from + size - high);
}

/// Forgets units. Few cells have an upper rank: they are read first, because a read of a page that
/// was never written does not make it, and a write does.
static void forget_units(shadow_leaf *leaf, size_t first, size_t count) {
  for (int rank = 0; rank < cells_in_unit; rank++) {
    shadow_cell *cells = &leaf->cells[rank][first];
    bool is_used = count * sizeof *cells >= much;
    for (size_t index = 0; index < count && !is_used; index++) {
      // Relaxed: the accesses come before the memory is given back.
      is_used = __atomic_load_n(&cells[index], __ATOMIC_RELAXED) != 0;
    }
    if (is_used) zero(cells, count * sizeof *cells);
  }
}

void interlock_forget_memory(uintptr_t address, size_t size) {
  if (!interlock_shadow || size == 0 || address >> address_bits) return;
  uintptr_t end = (address + size + 7) & ~(uintptr_t)7;
  if (end > (uintptr_t)1 << address_bits) end = (uintptr_t)1 << address_bits;
  for (uintptr_t at = address & ~(uintptr_t)7; at < end;) {
    uintptr_t next = (at | (((uintptr_t)1 << leaf_shift) - 1)) + 1;
    if (next > end) next = end;
    shadow_leaf *leaf = leaf_at(at);
    if (leaf) forget_units(leaf, unit_at(at), (next - at) >> 3);
    at = next;
  }
}

#endif
