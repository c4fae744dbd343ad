// The shadow state of memory: the last accesses of each 8 bytes. Included by `CInterlockMemory/`
// only.
//
// As in ThreadSanitizer, and unlike FastTrack, each 8 bytes of memory (a unit) have a fixed number
// of cells. A cell is one access: its bytes, the slot of its thread, its epoch, and whether it
// wrote. A cell names the exact bytes, so accesses that overlap in part race, and accesses of
// adjacent bytes do not. Four cells hold a write and three reads. If there are more accesses, a
// cell that happens before the calling thread's access goes first: any access that races with it
// also races with the calling thread's access.
//
// A cell has 64 bits: 42 for the count of the epoch, 2 for the number of the situation in the epoch
// (which locks were held), 10 for the slot, 8 for the bytes, and one each for a write and an atomic
// access. At 10 million releases per second, one slot reaches 2^42 after 5 days. The check then
// ends and says so, and never compares a count that has wrapped.
//
// A place, a number of 32 bits beside each cell, is the call stack of the access, as a node in a
// tree that all threads share (call_stacks.c). So the place of the earlier access is known however
// long ago it was. In total, 8 bytes of memory have 12 bytes of shadow for each stored access, at
// most 48. The cells of one rank lie together, in pages that are allocated once they are written. A
// unit's cells are used in the order of their ranks, and no cell becomes free before the memory is
// freed: after a free cell there is no used one.
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
  /// One leaf holds the shadow of 2 MB.
  leaf_shift = 21,
  units_in_leaf = 1 << (leaf_shift - 3),
  /// The number of units in a page of memory, whose cells of one rank have the size of a page.
  units_in_page = 512,
  pages_in_leaf = units_in_leaf / units_in_page,
  /// The bits of the addresses that the system gives to a process. On arm64, stacks lie above 2^47.
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

/// True for a used cell without bytes. In the unit of an object's count, that is the record of a
/// reference's release (references.c); in the unit of a lock, the lock's mark (races.c).
static inline bool is_reference(shadow_cell cell) { return cell && !(cell & 0xff); }

static inline uint32_t cell_slot(shadow_cell cell) {
  return cell >> slot_shift & ((1 << slot_bits) - 1);
}
static inline uint64_t cell_count(shadow_cell cell) { return cell >> count_shift; }
/// The epoch and the situation in it, as one number that only grows for a slot.
static inline uint64_t cell_moment(shadow_cell cell) { return cell >> situation_shift; }

/// Padding after the cells of one rank, so that the cells of a unit lie in different sets of a
/// cache.
enum { cells_between = 136 };

/// By rank, then by unit. Most units have one or two accesses, so the pages of the upper ranks are
/// never written.
typedef struct {
  shadow_cell cells[cells_in_unit][units_in_leaf + cells_between];
  uint32_t places[cells_in_unit][units_in_leaf + cells_between];
  /// For each rank, the pages of memory that may have cells. Forgetting a thread's whole stack, of
  /// which a task uses a page or two, then reads only these bits.
  uint64_t used_pages[cells_in_unit][pages_in_leaf / 64];
  /// The pages and the units in which an atomic may have a clock (freed_atomics.c).
  uint64_t atomic_pages[pages_in_leaf / 64], atomic_units[units_in_leaf / 64];
} shadow_leaf;

/// The leaves, by the upper bits of the address; NULL for a leaf without an access.
extern shadow_leaf **interlock_shadow HIDDEN;

/// Returns the bytes of one unit, as bits, that an access of up to 8 bytes at this address covers.
static inline uint32_t bytes_of(uintptr_t address, uint32_t size) {
  return ((1u << size) - 1) << (address & 7) & 0xff;
}

/// Returns the leaf of an address; NULL if there is none yet.
static inline shadow_leaf *leaf_at(uintptr_t address) {
  // Acquire: pairs with the release in `interlock_make_leaf`.
  return __atomic_load_n(&interlock_shadow[address >> leaf_shift], __ATOMIC_ACQUIRE);
}
static inline size_t unit_at(uintptr_t address) { return address >> 3 & (units_in_leaf - 1); }

/// True if the page of a unit may have cells of the rank.
static inline bool is_page_used(const shadow_leaf *leaf, int rank, size_t page) {
  // Relaxed: memory is freed after its accesses.
  return __atomic_load_n(&leaf->used_pages[rank][page / 64], __ATOMIC_RELAXED) >> page % 64 & 1;
}
/// Marks a page as one that may have cells of the rank.
void interlock_shadow_use_page(shadow_leaf *leaf, int rank, size_t page) HIDDEN;
/// Marks the page of a unit, before a cell is stored in it.
static inline void mark_used(shadow_leaf *leaf, int rank, size_t unit) {
  size_t page = unit / units_in_page;
  if (!is_page_used(leaf, rank, page)) interlock_shadow_use_page(leaf, rank, page);
}

/// Makes the leaf of an address. Returns NULL if the address cannot have one, or without memory,
/// which ends the check.
shadow_leaf *interlock_make_leaf(uintptr_t address) HIDDEN;
/// Forgets the accesses of a range of memory that is about to be used for something else.
void interlock_forget_memory(uintptr_t address, size_t size) HIDDEN;
/// Forgets the clocks of the atomics in a block of memory that is about to be freed.
void interlock_forget_atomics(uintptr_t address, size_t size) HIDDEN;
bool interlock_shadow_prepare(void) HIDDEN;

/// Ends the check in all threads, for a reason that is printed.
void interlock_memory_lose_sight(const char *reason) HIDDEN;
/// True while accesses are checked.
extern bool interlock_memory_is_on HIDDEN;
/// True if accesses are or were checked: the lock order needs the ends of memory even after the
/// check has ended.
extern bool interlock_memory_was_on HIDDEN;

#endif
#endif
