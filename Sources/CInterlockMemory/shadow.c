// The memory of the shadow: allocated when an address is first accessed, and forgotten when the
// memory is freed.
#include "shadow.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

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
  // One page in a thousand is used, and a huge page would allocate all of them.
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

/// Allocates the pages of a part of the shadow at once.
static void populate(void *from, size_t size) {
  uintptr_t low = (uintptr_t)from & -(uintptr_t)page, high = (uintptr_t)from + size;
  madvise((void *)low, (high & -(uintptr_t)page) - low, MADV_POPULATE_WRITE);
}

/// Zeroes memory of the shadow. For much memory the system does it, which frees the pages.
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

void interlock_shadow_use_page(shadow_leaf *leaf, int rank, size_t page) {
  enum { together = 16 };
  uint64_t *word = &leaf->used_pages[rank][page / 64], bit = (uint64_t)1 << page % 64;
  // Relaxed: as in `is_page_used`.
  uint64_t before = __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
  // The second used page of a group: populate the rest, which is about to follow, as in a growing
  // heap. Each page would otherwise cost two faults, the first of which maps a page of zeros.
  uint64_t group = (before >> page % 64 / together * together) & ((1 << together) - 1);
  if (before & bit || group == 0 || group & (group - 1)) return;
  size_t first = page / together * together * units_in_page;
  int error = errno;
  // An older system does not know the request, and does nothing.
  populate(&leaf->cells[rank][first], together * units_in_page * sizeof(shadow_cell));
  // Few pages of places of the upper ranks follow: most units have one access.
  if (rank == 0) populate(&leaf->places[rank][first], together * units_in_page * sizeof(uint32_t));
  errno = error;
}

/// Forgets units of one rank, in pages that may have cells.
static void forget_units(shadow_leaf *leaf, int rank, size_t first, size_t count) {
  shadow_cell *cells = &leaf->cells[rank][first];
  bool is_used = count * sizeof *cells >= much;
  for (size_t index = 0; index < count && !is_used; index++) {
    // Relaxed: the accesses come before the memory is freed.
    is_used = __atomic_load_n(&cells[index], __ATOMIC_RELAXED) != 0;
  }
  if (is_used) zero(cells, count * sizeof *cells);
}

/// Clears the mark of a page if the range covers the whole page.
static void unmark(shadow_leaf *leaf, int rank, size_t page, size_t first, size_t end) {
  size_t start = page * units_in_page;
  if (start < first || start + units_in_page > end) return;
  // Relaxed: see `forget_units`.
  __atomic_fetch_and(&leaf->used_pages[rank][page / 64], ~((uint64_t)1 << page % 64),
                     __ATOMIC_RELAXED);
}

/// Returns the first page from `page` on that may have cells; `end` if there is none before it.
static size_t next_used(const shadow_leaf *leaf, int rank, size_t page, size_t end) {
  while (page < end) {
    // Relaxed: see `forget_units`.
    uint64_t word = __atomic_load_n(&leaf->used_pages[rank][page / 64], __ATOMIC_RELAXED);
    word >>= page % 64;
    if (word) {
      page += (size_t)__builtin_ctzll(word);
      break;
    }
    page = (page / 64 + 1) * 64;
  }
  return page < end ? page : end;
}

/// Forgets the units of each run of pages that may have cells of the rank. Returns false if none
/// has.
static bool forget_rank(shadow_leaf *leaf, int rank, size_t first, size_t end) {
  size_t last = (end - 1) / units_in_page + 1;
  size_t from = next_used(leaf, rank, first / units_in_page, last);
  if (from == last) return false;
  while (from < last) {
    size_t to = from;
    for (; to < last && is_page_used(leaf, rank, to); to++) unmark(leaf, rank, to, first, end);
    size_t low = from * units_in_page, high = to * units_in_page;
    if (low < first) low = first;
    if (high > end) high = end;
    forget_units(leaf, rank, low, high - low);
    from = next_used(leaf, rank, to, last);
  }
  return true;
}

void interlock_forget_memory(uintptr_t address, size_t size) {
  if (!interlock_shadow || size == 0 || address >> address_bits) return;
  uintptr_t end = (address + size + 7) & ~(uintptr_t)7;
  if (end > (uintptr_t)1 << address_bits) end = (uintptr_t)1 << address_bits;
  for (uintptr_t at = address & ~(uintptr_t)7; at < end;) {
    uintptr_t next = (at | (((uintptr_t)1 << leaf_shift) - 1)) + 1;
    if (next > end) next = end;
    shadow_leaf *leaf = leaf_at(at);
    size_t first = unit_at(at), after = first + ((next - at) >> 3);
    // If no page has cells of a rank, none has cells of a higher rank.
    for (int rank = 0; leaf && rank < cells_in_unit; rank++) {
      if (!forget_rank(leaf, rank, first, after)) break;
    }
    at = next;
  }
}

#endif
