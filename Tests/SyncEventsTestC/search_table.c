// Threads that search the hash table of the analysis while others change it.
#include "../../Sources/CInterlockAnalysis/hash_table.h"

#include <pthread.h>
#include <stdlib.h>

#include "sync_events_test.h"

typedef struct {
  table_entry entry;
  uintptr_t value;
} item;

// Few lists, so that an entry that is added again is often in another list during a search.
enum { items = 4096, item_lists = 64, threads = 6, keys = 200, rounds = 200000 };
static item all_items[items];
static uintptr_t lists[item_lists];
static hash_table table = {.lists = lists,
                           .list_count = item_lists,
                           .entries = (char *)all_items,
                           .size = sizeof(item),
                           .most = items};

static uintptr_t key_of(uintptr_t thread, int number) {
  return thread << 20 | (uintptr_t)number << 4 | 1 << 16;
}

/// True unless a search finds exactly the entry that the thread itself has added.
static long is_wrong(uintptr_t key, const item *added) {
  const item *found = (item *)table_find(&table, key);
  return found != added || (found && found->value != key);
}

static item *add(uintptr_t key) {
  take(&table.lock);
  item *added = (item *)table_take(&table);
  if (added) {
    __atomic_store_n(&added->value, key, __ATOMIC_RELAXED);
    table_add(&table, &added->entry, key);
  }
  give(&table.lock);
  return added;
}

static void drop(item *added) {
  take(&table.lock);
  table_remove(&table, &added->entry);
  table_give(&table, &added->entry);
  give(&table.lock);
}

static void *add_and_search(void *argument) {
  uintptr_t thread = (uintptr_t)argument;
  unsigned seed = (unsigned)thread;
  item *added[keys] = {0};
  long wrong = 0;
  for (int round = 0; round < rounds; round++) {
    int number = rand_r(&seed) % keys;
    if (!added[number]) {
      added[number] = add(key_of(thread, number));
    } else if (rand_r(&seed) % 3 == 0) {
      drop(added[number]);
      added[number] = NULL;
    }
    for (int search = 0; search < 4; search++) {
      int other = rand_r(&seed) % keys;
      wrong += is_wrong(key_of(thread, other), added[other]);
    }
  }
  return (void *)wrong;
}

long sync_events_search_table(void) {
  pthread_t started[threads];
  long wrong = 0;
  for (uintptr_t number = 0; number < threads; number++) {
    if (pthread_create(&started[number], NULL, add_and_search, (void *)(number + 1))) return -1;
  }
  for (int number = 0; number < threads; number++) {
    void *found;
    pthread_join(started[number], &found);
    wrong += (long)found;
  }
  return wrong;
}
