// The hash table of all parts: entries by a key, in lists. Included by the C targets only.
//
// A search takes no lock. While it is at an entry, another thread may remove the entry and add it
// to another list, with another key. Each list therefore ends with its own number, and a search
// that reaches the end of another list begins again: the scheme of the lists with "nulls" markers
// in Linux (Documentation/RCU/rculist_nulls.rst). It requires that the memory of an entry is never
// used for anything else, so no part frees it.
#ifndef INTERLOCK_HASH_TABLE_H
#define INTERLOCK_HASH_TABLE_H

#include "interlock_internals.h"

/// Adds a value to a hash.
static inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

/// The first member of each entry of a table.
typedef struct table_entry {
  /// 0 while the entry is in no table.
  uintptr_t key;
  /// The next entry's address, or the end of the list, an odd number.
  uintptr_t next;
} table_entry;

typedef struct {
  /// The first entry of each list; 0 until the list gets one.
  uintptr_t *lists;
  /// The number of lists: a power of 2, at most 2^24.
  size_t list_count;
  /// The entries, all of one size and zero at first; the number of entries; and the number that
  /// have ever been taken.
  char *entries;
  size_t size;
  uint32_t most, used;
  /// The first free entry that was taken before; 0 for none.
  uintptr_t free;
  /// Held during a change of the table, unless the caller has another lock that covers all of it.
  int lock;
} hash_table;

static inline size_t table_number(const hash_table *table, uintptr_t key) {
  return (size_t)((uint64_t)(key >> 3) * 0x9e3779b97f4a7c15ull >> 40) & (table->list_count - 1);
}

static inline uintptr_t table_end(size_t number) { return number << 1 | 1; }

/// Finds an entry; NULL if there is none.
static inline table_entry *table_find(const hash_table *table, uintptr_t key) {
  size_t number = table_number(table, key);
  while (true) {
    // Acquire, all three: pair with the releases in `table_add` and `table_remove`. A thread that
    // finds a key sees what was written before the entry was added.
    uintptr_t at = __atomic_load_n(&table->lists[number], __ATOMIC_ACQUIRE);
    if (!at) return NULL;
    while (!(at & 1)) {
      table_entry *entry = (table_entry *)at;
      if (__atomic_load_n(&entry->key, __ATOMIC_ACQUIRE) == key) return entry;
      at = __atomic_load_n(&entry->next, __ATOMIC_ACQUIRE);
    }
    if (at == table_end(number)) return NULL;
  }
}

// The caller of the functions below must hold the table's lock.

/// Returns the next entry with the key of this one; NULL if there is none.
static inline table_entry *table_next(const table_entry *entry) {
  for (uintptr_t at = entry->next; !(at & 1); at = ((table_entry *)at)->next) {
    if (((table_entry *)at)->key == entry->key) return (table_entry *)at;
  }
  return NULL;
}

/// Adds an entry that is in no table. The caller has written the rest of the entry.
static inline void table_add(hash_table *table, table_entry *entry, uintptr_t key) {
  size_t number = table_number(table, key);
  uintptr_t *first = &table->lists[number];
  __atomic_store_n(&entry->next, *first ? *first : table_end(number), __ATOMIC_RELEASE);
  __atomic_store_n(&entry->key, key, __ATOMIC_RELEASE);
  __atomic_store_n(first, (uintptr_t)entry, __ATOMIC_RELEASE);
}

static inline void table_remove(hash_table *table, table_entry *entry) {
  uintptr_t *link = &table->lists[table_number(table, entry->key)];
  while (*link != (uintptr_t)entry) link = &((table_entry *)*link)->next;
  // The entry keeps its own link, so that a search at the entry can continue.
  __atomic_store_n(link, entry->next, __ATOMIC_RELEASE);
  __atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
}

/// Ends the list of free entries. No list has this number, so a search that reaches it begins
/// again.
static const uintptr_t table_free_end = UINTPTR_MAX;

/// Takes an entry that is in no table; NULL if all are taken. An entry that was taken before still
/// has its old contents.
static inline table_entry *table_take(hash_table *table) {
  table_entry *entry = (table_entry *)table->free;
  if (entry) {
    table->free = entry->next == table_free_end ? 0 : entry->next;
  } else if (table->used < table->most) {
    entry = (table_entry *)(table->entries + table->size * table->used);
    // Release: pairs with the acquire in `table_used`.
    __atomic_store_n(&table->used, table->used + 1, __ATOMIC_RELEASE);
  }
  return entry;
}

static inline void table_give(hash_table *table, table_entry *entry) {
  __atomic_store_n(&entry->next, table->free ? table->free : table_free_end, __ATOMIC_RELEASE);
  table->free = (uintptr_t)entry;
}

/// Returns how many entries have ever been taken, for a walk over all of them. Needs no lock.
static inline uint32_t table_used(const hash_table *table) {
  return __atomic_load_n(&table->used, __ATOMIC_ACQUIRE);
}

#endif
