// The shadow of memory: the last accesses of each 8 bytes. Not for users of the target.
//
// As in ThreadSanitizer, and other than in FastTrack, each 8 bytes of memory (a unit) have a fixed
// number of cells, and each cell is one access: which bytes, by which thread's slot, in which epoch
// and whether it wrote. A cell says exactly which bytes were accessed, so accesses that overlap in
// part race, and adjacent bytes do not. Four cells keep a write and three readers; of more, the one
// that the calling thread is ordered after goes first: any access that races with that one races
// with the calling thread's access as well.
//
// A cell has 64 bits: 42 for the count of the epoch, 2 for the number of the situation in the epoch
// (which locks were held), 10 for the slot, 8 for the bytes, and one each for a write and an atomic
// access. At 10 million releases per second, one slot reaches 2^42 after 5 days; the check then
// goes off and says so, and never compares a count that has wrapped.
//
// A number of 32 bits beside each cell says where the access was: the call stack, as a node in a
// tree that all threads share (call_stacks.c). So the place of the earlier access is known however
// long ago it was. All told, 8 bytes of memory have 12 bytes of shadow for each access that is
// kept, at most 48: the cells of one rank lie together, in pages that are used once they are
// written. A unit's cells are used in the order of their ranks, and none is free again before its
// memory is given back: behind a free cell there is no other.
#ifndef INTERLOCK_SHADOW_H
#define INTERLOCK_SHADOW_H

#include "../CInterlockAnalysis/thread_record.h"
#include "interlock_memory.h"

#ifdef INTERLOCK_INTERPOSES

typedef uint64_t shadow_cell;

enum {
  cells_in_unit = 4,
  slot_shift = 8,
  slot_bits = 10,
  situation_shift = 20,
  situation_bits = 2,
  count_shift = situation_shift + situation_bits,
  /// One leaf has the shadow of 2 MB.
  leaf_shift = 21,
  units_in_leaf = 1 << (leaf_shift - 3),
  /// A page of memory has this many units, and its cells of one rank have the size of a page.
  units_in_page = 512,
  pages_in_leaf = units_in_leaf / units_in_page,
  /// Of the addresses that the system gives to a process. On arm64, stacks lie above 2^47.
#if defined(__aarch64__)
  address_bits = 48,
#else
  address_bits = 47,
#endif
};
_Static_assert(most_slots <= 1 << slot_bits, "a cell has every slot");
#define CELL_WRITES ((shadow_cell)1 << 18)
#define CELL_IS_ATOMIC ((shadow_cell)1 << 19)
#define CELL_SITUATION ((shadow_cell)3 << situation_shift)
#define MOST_COUNT (((uint64_t)1 << (64 - count_shift)) - 2)

/// A release of a reference (references.c): the only cell without bytes that is not 0.
static inline bool is_reference(shadow_cell cell) { return cell && !(cell & 0xff); }

static inline uint32_t cell_slot(shadow_cell cell) {
  return cell >> slot_shift & ((1 << slot_bits) - 1);
}
static inline uint64_t cell_count(shadow_cell cell) { return cell >> count_shift; }
/// The epoch and the situation in it, in one number that only grows for a slot.
static inline uint64_t cell_moment(shadow_cell cell) { return cell >> situation_shift; }

/// Behind the cells of one rank, so that the cells of a unit lie in different sets of a cache.
enum { cells_between = 136 };

/// By rank, then by unit: most units have one access or two, and the pages of the upper ranks are
/// never written.
typedef struct {
  shadow_cell cells[cells_in_unit][units_in_leaf + cells_between];
  uint32_t places[cells_in_unit][units_in_leaf + cells_between];
  /// By rank, whether a page of memory may have cells. To forget a thread's whole stack, of which a
  /// task uses a page or two, reads these bits alone.
  uint64_t used_pages[cells_in_unit][pages_in_leaf / 64];
} shadow_leaf;

/// By the upper bits of the address; NULL for a leaf without an access.
extern shadow_leaf **interlock_shadow HIDDEN;

/// The bytes of one unit that an access of up to 8 bytes at this address covers, as bits.
static inline uint32_t bytes_of(uintptr_t address, uint32_t size) {
  return ((1u << size) - 1) << (address & 7) & 0xff;
}

/// The leaf of an address; NULL if there is none yet.
static inline shadow_leaf *leaf_at(uintptr_t address) {
  // Acquire: pairs with the release in `interlock_make_leaf`.
  return __atomic_load_n(&interlock_shadow[address >> leaf_shift], __ATOMIC_ACQUIRE);
}
static inline size_t unit_at(uintptr_t address) { return address >> 3 & (units_in_leaf - 1); }

/// Whether the page of a unit may have cells of the rank.
static inline bool is_page_used(const shadow_leaf *leaf, int rank, size_t page) {
  // Relaxed: memory is given back after its accesses.
  return __atomic_load_n(&leaf->used_pages[rank][page / 64], __ATOMIC_RELAXED) >> page % 64 & 1;
}
/// Sets that mark.
void interlock_shadow_use_page(shadow_leaf *leaf, int rank, size_t page) HIDDEN;
/// The same for the page of a unit, before a cell is stored where there was none.
static inline void mark_used(shadow_leaf *leaf, int rank, size_t unit) {
  size_t page = unit / units_in_page;
  if (!is_page_used(leaf, rank, page)) interlock_shadow_use_page(leaf, rank, page);
}

/// Makes the leaf; NULL if the address has none, or without memory, which ends the check.
shadow_leaf *interlock_make_leaf(uintptr_t address) HIDDEN;
/// Forgets the accesses of a range, whose memory is about to be used for something else.
void interlock_forget_memory(uintptr_t address, size_t size) HIDDEN;
bool interlock_shadow_prepare(void) HIDDEN;

/// Ends the check in all threads, for a reason that is printed.
void interlock_memory_lose_sight(const char *reason) HIDDEN;
/// Whether accesses are checked.
extern bool interlock_memory_is_on HIDDEN;
/// Whether they are or were: the lock order needs the end of memory also when the check is off.
extern bool interlock_memory_was_on HIDDEN;

#endif
#endif
