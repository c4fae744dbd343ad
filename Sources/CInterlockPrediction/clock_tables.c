// Vector clocks: of threads, and of what threads meet at. In memory from the system: malloc may be what is being called.
#include "clock_tables.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { bucket_count = 1 << 15, nodes_together = 256, most_nodes = 1 << 16 };

/// What threads meet at. Never given back to the system: a thread may still know one that is another's by now.
typedef struct clock_node {
  struct clock_node *next;
  /// Guards what is below; held for some tens of nanoseconds.
  int lock;
  bool has_shared;
  /// 0 for one that is free.
  uintptr_t key;
  /// The thread whose clock `alone` is, by its number, and how much the thread had learnt then; 0 where it is several threads'.
  uint64_t passed_by, lessons;
  /// From those that had it alone, and from those that shared it.
  vector_clock alone, shared;
} node;

static struct {
  int lock;
  node *first;
} *buckets;
static node *free_nodes;
static int nodes_lock;
static uint32_t nodes_made;

static thread_clock *slots;
static uint32_t slots_used;
static int slots_lock;
static pthread_key_t exit_key;

__thread thread_clock *interlock_own_clock;

// Clocks.

static inline void join(vector_clock *into, const vector_clock *from) {
  // Relaxed: another thread may just count on, and whichever count is found is one that it had.
  uint32_t used = __atomic_load_n(&slots_used, __ATOMIC_RELAXED);
  for (uint32_t index = 0; index < used; index++) {
    if (from->counts[index] > into->counts[index]) into->counts[index] = from->counts[index];
  }
}

/// Whether what one knows is all that the other does.
static inline bool is_same(const vector_clock *one, const vector_clock *other) {
  uint32_t used = __atomic_load_n(&slots_used, __ATOMIC_RELAXED);
  return memcmp(one->counts, other->counts, used * sizeof *one->counts) == 0;
}

static inline void learn(thread_clock *own, const vector_clock *from) {
  join(&own->clock, from);
  if (from->counts[own->slot] > own->seen_own) own->seen_own = from->counts[own->slot];
  own->lessons++;
}

/// What the thread does from now on is not what it gives up now.
static inline void count_on(thread_clock *own) {
  __atomic_store_n(&own->clock.counts[own->slot], own->clock.counts[own->slot] + 1, __ATOMIC_RELAXED);
}

// Nodes.

static inline uintptr_t key_of(uintptr_t address, purpose purpose) {
  return address << 4 ^ (uintptr_t)purpose;
}

static inline size_t bucket_of(uintptr_t key) {
  return (size_t)(mix(0, key) >> 40) % bucket_count;
}

static node *make_node(uintptr_t key) {
  take(&nodes_lock);
  node *made = free_nodes;
  if (!made && nodes_made < most_nodes) {
    node *fresh = mmap(NULL, nodes_together * sizeof(node), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh != MAP_FAILED) {
      nodes_made += nodes_together;
      for (int index = 0; index < nodes_together; index++) {
        fresh[index].next = free_nodes;
        free_nodes = &fresh[index];
      }
      made = free_nodes;
    }
  }
  if (made) free_nodes = made->next;
  give(&nodes_lock);
  if (!made) {
    interlock_clocks_lose_sight("there were more locks and queued blocks at a time than are followed");
    return NULL;
  }
  // Under its lock: who knew it when it was another's may be looking at it.
  take(&made->lock);
  memset(&made->has_shared, 0, sizeof *made - offsetof(node, has_shared));
  made->key = key;
  give(&made->lock);
  return made;
}

/// Finds what carries a clock, and takes its lock; with `makes`, makes it where there is none. NULL for none.
static node *take_node(uintptr_t key, bool makes) {
  size_t bucket = bucket_of(key);
  take(&buckets[bucket].lock);
  node *found = buckets[bucket].first;
  while (found && found->key != key) found = found->next;
  if (!found && makes && (found = make_node(key))) {
    found->next = buckets[bucket].first;
    buckets[bucket].first = found;
  }
  if (found) take(&found->lock);
  give(&buckets[bucket].lock);
  return found;
}

/// Finds what carries a clock, takes its lock, and takes it out of the table. NULL for none.
static node *take_last(uintptr_t key) {
  size_t bucket = bucket_of(key);
  take(&buckets[bucket].lock);
  node **link = &buckets[bucket].first;
  while (*link && (*link)->key != key) link = &(*link)->next;
  node *found = *link;
  if (found) {
    take(&found->lock);
    *link = found->next;
  }
  give(&buckets[bucket].lock);
  return found;
}

/// Its lock is taken, and it is in no table.
static void let_go(node *last) {
  last->key = 0;
  give(&last->lock);
  take(&nodes_lock);
  last->next = free_nodes;
  free_nodes = last;
  give(&nodes_lock);
}

static void pass_alone(thread_clock *own, node *node) {
  if (node->passed_by == own->number && node->lessons == own->lessons) {
    // Nothing but the thread's own count is another since.
    node->alone.counts[own->slot] = own->clock.counts[own->slot];
    return;
  }
  join(&node->alone, &own->clock);
  node->passed_by = is_same(&node->alone, &own->clock) ? own->number : 0;
  node->lessons = own->lessons;
}

static void get_from_node(thread_clock *own, const node *node, bool is_shared) {
  // What the thread itself passed last it knows.
  if (node->passed_by != own->number) learn(own, &node->alone);
  if (node->has_shared && !is_shared) learn(own, &node->shared);
}

void interlock_clock_pass(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared) {
  node *found = take_node(key_of(address, purpose), true);
  if (!found) return;
  if (is_shared) {
    join(&found->shared, &own->clock);
    found->has_shared = true;
  } else {
    pass_alone(own, found);
  }
  give(&found->lock);
  count_on(own);
}

void interlock_clock_get(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared, bool is_last) {
  uintptr_t key = key_of(address, purpose);
  node *found = is_last ? take_last(key) : take_node(key, false);
  if (!found) return;
  get_from_node(own, found, is_shared);
  if (is_last) {
    let_go(found);
  } else {
    give(&found->lock);
  }
}

/// Takes the lock of what carries a mutex's clock; NULL where nobody follows it.
static node *take_mutex(thread_clock *own, uintptr_t address, uintptr_t place) {
  uintptr_t key = key_of(address, AS_LOCK);
  if (own->mutex == address) {
    take(&own->mutex_node->lock);
    if (own->mutex_node->key == key) return own->mutex_node;
    // It was destroyed, and another is at its address.
    give(&own->mutex_node->lock);
  }
  bool follows = interlock_events_is_foundation(place) || interlock_events_is_users(place);
  node *found = take_node(key, follows);
  own->mutex = found ? address : 0;
  own->mutex_node = found;
  return found;
}

/// Whether the calling thread, which has the mutex that it had last, was also the last to give it up: then it has nothing to
/// learn. Without the lock of what carries its clock: whoever changes that has the mutex, and the mutex hands it over. It may
/// be another's by now, or this address's anew; that has happened before the thread got the mutex, which so sees it.
static inline bool is_left_by(const thread_clock *own, uintptr_t address) {
  if (own->mutex != address) return false;
  const node *node = own->mutex_node;
  // Relaxed: see above. Where it is another's, its words may be changing.
  return __atomic_load_n(&node->key, __ATOMIC_RELAXED) == key_of(address, AS_LOCK) &&
         __atomic_load_n(&node->passed_by, __ATOMIC_RELAXED) == own->number &&
         !__atomic_load_n(&node->has_shared, __ATOMIC_RELAXED);
}

/// Whether only who has a mutex can give it up: of the usual kind, glibc gives it up whoever asks, and to ask without having it
/// is wrong; of the others it refuses.
static inline bool is_plain_mutex(uintptr_t address) {
#ifdef __GLIBC__
  return (((const pthread_mutex_t *)address)->__data.__kind & 127) == PTHREAD_MUTEX_TIMED_NP;
#else
  (void)address;
  return false;
#endif
}

void interlock_clock_get_mutex(thread_clock *own, uintptr_t address, uintptr_t place) {
  if (is_left_by(own, address)) return;
  if (own->mutex != address && interlock_events_is_concurrency(place)) {
    // The runtime's own lock, which it takes before it runs a handler of a cancellation or of a stream's end: that comes
    // after who handed the handler over.
    interlock_clock_know_all(own);
    return;
  }
  node *found = take_mutex(own, address, place);
  if (!found) return;
  get_from_node(own, found, false);
  give(&found->lock);
}

void interlock_clock_pass_mutex(thread_clock *own, uintptr_t address, uintptr_t place) {
  if (is_left_by(own, address) && own->mutex_node->lessons == own->lessons && is_plain_mutex(address)) {
    // As in `pass_alone`. Relaxed: the mutex hands it over.
    __atomic_store_n(&own->mutex_node->alone.counts[own->slot], own->clock.counts[own->slot], __ATOMIC_RELAXED);
    count_on(own);
    return;
  }
  // The call may be its caller's last, and return elsewhere: one that is followed is given up from anywhere.
  node *found = take_mutex(own, address, place);
  if (!found) return;
  pass_alone(own, found);
  give(&found->lock);
  count_on(own);
}

/// A lock is no more; what was known of it is no use to the next one at its address.
void interlock_clock_forget(thread_clock *own, uintptr_t address) { interlock_clock_get(own, address, AS_LOCK, false, true); }

void interlock_clock_pass_to(thread_clock *own, common_clock *common) {
  take(&common->lock);
  join(&common->clock, &own->clock);
  give(&common->lock);
  count_on(own);
}

void interlock_clock_get_from(thread_clock *own, common_clock *common) {
  take(&common->lock);
  learn(own, &common->clock);
  give(&common->lock);
}

// Threads.

static void thread_exits(void *clock) {
  enum { most_farewells = 3 };
  if (++((thread_clock *)clock)->farewells < most_farewells &&
      pthread_setspecific(exit_key, clock) == 0) {
    return;
  }
  interlock_own_clock = NULL;
  // Release: who takes the slot again finds the clock as this thread left it.
  __atomic_store_n(&((thread_clock *)clock)->is_alive, false, __ATOMIC_RELEASE);
}

/// A number that no thread has had: what it gave up until now is not what it knows by itself.
static void renew_number(thread_clock *own) {
  static uint64_t numbers;
  // Relaxed: only that no two are equal is asked for.
  own->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
}

static thread_clock *claim_slot(void) {
  take(&slots_lock);
  thread_clock *found = NULL;
  if (slots_used < most_slots) {
    found = &slots[slots_used];
    found->slot = slots_used;
    // Relaxed: a thread that does not count the new slot yet has met nobody who has been in it.
    __atomic_store_n(&slots_used, slots_used + 1, __ATOMIC_RELAXED);
  } else {
    // A thread that has ended lends its slot: who has heard of the later one seems to have heard of the earlier too.
    for (uint32_t index = 0; index < most_slots && !found; index++) {
      if (!__atomic_load_n(&slots[index].is_alive, __ATOMIC_ACQUIRE)) found = &slots[index];
    }
  }
  if (found) {
    uint32_t slot = found->slot;
    // Its own count goes on: what is known of the slot's last thread stays true.
    for (uint32_t index = 0; index < most_slots; index++) {
      if (index != slot) found->clock.counts[index] = 0;
    }
    count_on(found);
    renew_number(found);
    found->lessons = 0;
    found->mutex = found->task = 0;
    found->first_count = found->seen_own = 0;
    found->runs = found->jobs = found->initialisers = found->shared_count = found->farewells = 0;
    found->called_queue = 0;
    found->is_busy = false;
    found->handle = pthread_self();
    __atomic_store_n(&found->is_alive, true, __ATOMIC_RELEASE);
  }
  give(&slots_lock);
  if (!found) {
    interlock_clocks_lose_sight("there were more than 256 threads at a time");
    return NULL;
  }
  interlock_own_clock = found;
  pthread_setspecific(exit_key, found);
  return found;
}

void interlock_clock_count_on(thread_clock *own) { count_on(own); }

bool interlock_clock_has_seen(const thread_clock *own, uint32_t slot, uint32_t count) {
  slot %= most_slots;
  if (slot == own->slot) return count >= own->first_count || count <= own->seen_own;
  return own->clock.counts[slot] >= count;
}

void interlock_clock_forget_all(thread_clock *own) {
  own->outside = own->clock;
  for (uint32_t index = 0; index < most_slots; index++) {
    // Its own is looked at by others, and never less than it was.
    if (index != own->slot) own->clock.counts[index] = 0;
  }
  count_on(own);
  own->first_count = own->clock.counts[own->slot];
  own->seen_own = 0;
  renew_number(own);
}

void interlock_clock_remember(thread_clock *own) {
  if (own->first_count == 0) return;
  learn(own, &own->outside);
  own->first_count = 0;
  renew_number(own);
}

/// A thread whose beginning was not seen comes after all that has happened.
void interlock_clock_know_all(thread_clock *own) {
  uint32_t used = __atomic_load_n(&slots_used, __ATOMIC_RELAXED);
  own->seen_own = own->clock.counts[own->slot];
  for (uint32_t index = 0; index < used; index++) {
    if (index == own->slot) continue;
    own->clock.counts[index] = __atomic_load_n(&slots[index].clock.counts[index], __ATOMIC_RELAXED);
  }
  own->lessons++;
}

thread_clock *interlock_clock_own(const interlock_event *event) {
  thread_clock *own = interlock_own_clock;
  if (__builtin_expect(own != NULL, 1)) return own;
  // Hidden: the handler of a signal that comes meanwhile would come here too.
  interlock_events_hide_thread(true);
  own = claim_slot();
  interlock_events_hide_thread(false);
  if (own && !(event && event->kind == INTERLOCK_EVENT_START)) interlock_clock_know_all(own);
  return own;
}

/// A thread has been joined: all that had its handle, since another may have it by now.
void interlock_clock_join_thread(thread_clock *own, pthread_t handle) {
  take(&slots_lock);
  bool is_lent = slots_used == most_slots;
  for (uint32_t index = 0; index < slots_used; index++) {
    if (pthread_equal(slots[index].handle, handle)) learn(own, &slots[index].clock);
  }
  give(&slots_lock);
  // Its slot may be another's.
  if (is_lent) interlock_clock_know_all(own);
}

bool interlock_clock_tables_prepare(void) {
  int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void *bucket_memory = mmap(NULL, bucket_count * sizeof *buckets, protection, flags, -1, 0);
  void *slot_memory = mmap(NULL, most_slots * sizeof *slots, protection, flags, -1, 0);
  if (bucket_memory == MAP_FAILED || slot_memory == MAP_FAILED) return false;
  buckets = bucket_memory;
  slots = slot_memory;
  return pthread_key_create(&exit_key, thread_exits) == 0;
}

void interlock_clock_tables_forked(void) {
  slots_lock = nodes_lock = 0;
  for (size_t index = 0; buckets && index < bucket_count; index++) buckets[index].lock = 0;
}
