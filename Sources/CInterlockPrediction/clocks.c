// Vector clocks, as in Djit+ and FastTrack (PLDI 2009): each thread counts how often it has given something up to others,
// and knows of each other thread up to which count all of it has happened before. What threads meet at (a lock, a queue, a
// block) carries such a clock from who gives it up to who gets it.
//
// An order too many is a race that is not told; an order too few would be a false alarm. So where it cannot be said who
// passed what to whom, all is passed; and where something may order threads unseen, no order is told from then on.
#include "prediction.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "interlock_clocks.h"
#include "interlock_runtime.h"

enum {
  most_slots = 256,
  bucket_count = 1 << 15,
  nodes_together = 256,
  most_nodes = 1 << 16,
  most_runs = 16,
  most_shared = 8,
};

typedef struct {
  uint32_t counts[most_slots];
} vector_clock;

/// What a thread is in: a block on a queue.
typedef struct {
  /// The group that it belongs to; 0 for none.
  uintptr_t group;
  /// Whether it is of a synchronous call of another thread's.
  bool is_foreign;
} clock_run;

typedef struct thread_clock {
  vector_clock clock;
  uint32_t slot;
  /// Blocks that it is in, jobs of tasks among them, and initialisers.
  uint32_t runs, jobs, initialisers;
  clock_run run[most_runs];
  /// Read-write locks that it reads: the call that gives one up does not say so.
  uintptr_t shared[most_shared];
  uint32_t shared_count;
  /// The queue that it waits for, with a synchronous call.
  uintptr_t called_queue;
  pthread_t handle;
  bool is_alive;
  /// Whether it is in here: a signal's handler may come meanwhile.
  bool is_busy;
  /// How often the thread has been about to end: other libraries' destructors may still lock.
  uint32_t farewells;
} thread_clock;

/// What threads meet at.
typedef struct node {
  uintptr_t key;
  struct node *next;
  /// From those that had it alone, and from those that shared it.
  vector_clock alone, shared;
  bool has_shared;
} node;

/// What the clock of an address is for.
typedef enum { AS_LOCK, AS_ITEM, AS_CALL, AS_RETURN, AS_APPLY, AS_APPLIED, AS_THREAD } purpose;

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
static const char *blindness;
static int state;

/// All that any task did, and all that left any group or ended as a block: who comes of them is not told one by one.
static struct {
  int lock;
  vector_clock clock;
} tasks, ends;

static __thread thread_clock *own_clock __attribute__((tls_model("initial-exec")));

static void lose_sight(const char *reason) {
  const char *none = NULL;
  // Relaxed: text that never changes; when the others see it is of no account, for what was missed came before.
  __atomic_compare_exchange_n(&blindness, &none, reason, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

const char *interlock_clocks_blindness(void) {
  if (__atomic_load_n(&state, __ATOMIC_RELAXED) == 3) return "there was no memory for it, or no room for a reader";
  return __atomic_load_n(&blindness, __ATOMIC_RELAXED);
}

// Clocks.

static inline void join(vector_clock *into, const vector_clock *from) {
  // Relaxed: another thread may just count on, and whichever count is found is one that it had.
  uint32_t used = __atomic_load_n(&slots_used, __ATOMIC_RELAXED);
  for (uint32_t index = 0; index < used; index++) {
    if (from->counts[index] > into->counts[index]) into->counts[index] = from->counts[index];
  }
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
    lose_sight("there were more locks and queued blocks at a time than are followed");
    return NULL;
  }
  memset(made, 0, sizeof *made);
  made->key = key;
  return made;
}

static node *find_node(size_t bucket, uintptr_t key) {
  for (node *at = buckets[bucket].first; at; at = at->next) {
    if (at->key == key) return at;
  }
  return NULL;
}

static node *find_or_make_node(size_t bucket, uintptr_t key) {
  node *found = find_node(bucket, key);
  if (!found && (found = make_node(key))) {
    found->next = buckets[bucket].first;
    buckets[bucket].first = found;
  }
  return found;
}

/// The thread gives something up: who gets it next comes after all that the thread has done. Where nothing is known of it
/// and `makes` is false, nothing happens.
static void pass_known(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared,
                       bool makes) {
  uintptr_t key = key_of(address, purpose);
  size_t bucket = bucket_of(key);
  take(&buckets[bucket].lock);
  node *node = makes ? find_or_make_node(bucket, key) : find_node(bucket, key);
  if (node) {
    join(is_shared ? &node->shared : &node->alone, &own->clock);
    node->has_shared |= is_shared;
  }
  give(&buckets[bucket].lock);
  if (node) count_on(own);
}

static void pass(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared) {
  pass_known(own, address, purpose, is_shared, true);
}

/// From now on something is followed, whoever gives it up.
static void follow(uintptr_t address) {
  uintptr_t key = key_of(address, AS_LOCK);
  size_t bucket = bucket_of(key);
  take(&buckets[bucket].lock);
  find_or_make_node(bucket, key);
  give(&buckets[bucket].lock);
}

/// The thread gets something: it comes after all that those did who gave it up; where it shares it, only after those who
/// had it alone.
static void get(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared, bool is_last) {
  uintptr_t key = key_of(address, purpose);
  size_t bucket = bucket_of(key);
  take(&buckets[bucket].lock);
  node *found = find_node(bucket, key);
  if (found) {
    join(&own->clock, &found->alone);
    if (found->has_shared && !is_shared) join(&own->clock, &found->shared);
    if (is_last) {
      node **link = &buckets[bucket].first;
      while (*link != found) link = &(*link)->next;
      *link = found->next;
    }
  }
  give(&buckets[bucket].lock);
  if (!found || !is_last) return;
  take(&nodes_lock);
  found->next = free_nodes;
  free_nodes = found;
  give(&nodes_lock);
}

/// A lock is no more; what was known of it is no use to the next one at its address.
static void forget(thread_clock *own, uintptr_t address) { get(own, address, AS_LOCK, false, true); }

static void pass_to(thread_clock *own, int *lock, vector_clock *clock) {
  take(lock);
  join(clock, &own->clock);
  give(lock);
  count_on(own);
}

static void get_from(thread_clock *own, int *lock, const vector_clock *clock) {
  take(lock);
  join(&own->clock, clock);
  give(lock);
}

// Threads.

static void thread_exits(void *clock) {
  enum { most_farewells = 3 };
  if (++((thread_clock *)clock)->farewells < most_farewells &&
      pthread_setspecific(exit_key, clock) == 0) {
    return;
  }
  own_clock = NULL;
  // Release: who takes the slot again finds the clock as this thread left it.
  __atomic_store_n(&((thread_clock *)clock)->is_alive, false, __ATOMIC_RELEASE);
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
    found->runs = found->jobs = found->initialisers = found->shared_count = found->farewells = 0;
    found->called_queue = 0;
    found->is_busy = false;
    found->handle = pthread_self();
    __atomic_store_n(&found->is_alive, true, __ATOMIC_RELEASE);
  }
  give(&slots_lock);
  if (!found) {
    lose_sight("there were more than 256 threads at a time");
    return NULL;
  }
  own_clock = found;
  pthread_setspecific(exit_key, found);
  return found;
}

/// A thread whose beginning was not seen comes after all that has happened.
static void know_all(thread_clock *own) {
  uint32_t used = __atomic_load_n(&slots_used, __ATOMIC_RELAXED);
  for (uint32_t index = 0; index < used; index++) {
    if (index == own->slot) continue;
    own->clock.counts[index] = __atomic_load_n(&slots[index].clock.counts[index], __ATOMIC_RELAXED);
  }
}

static thread_clock *own_or_make(const interlock_event *event) {
  thread_clock *own = own_clock;
  if (__builtin_expect(own != NULL, 1)) return own;
  // Hidden: the handler of a signal that comes meanwhile would come here too.
  interlock_events_hide_thread(true);
  own = claim_slot();
  interlock_events_hide_thread(false);
  if (own && !(event && event->kind == INTERLOCK_EVENT_START)) know_all(own);
  return own;
}

/// A thread has been joined: all that had its handle, since another may have it by now.
static void join_thread(thread_clock *own, pthread_t handle) {
  take(&slots_lock);
  bool is_lent = slots_used == most_slots;
  for (uint32_t index = 0; index < slots_used; index++) {
    if (pthread_equal(slots[index].handle, handle)) join(&own->clock, &slots[index].clock);
  }
  give(&slots_lock);
  // Its slot may be another's.
  if (is_lent) know_all(own);
}

// Queues: a serial one is had as a lock by each of its blocks, a concurrent one by a barrier, and shared by the others.

static void enter_queues(thread_clock *own, uintptr_t queue, bool is_barrier) {
  enum { most_targets = 16 };
  for (int depth = 0; queue && depth < most_targets; depth++) {
    uintptr_t target;
    uint32_t width = interlock_queue_look(queue, &target);
    if (width == 0) return;
    get(own, queue, AS_LOCK, width != 1 && !(is_barrier && depth == 0), false);
    queue = target;
  }
}

static void leave_queues(thread_clock *own, uintptr_t queue, bool is_barrier) {
  enum { most_targets = 16 };
  for (int depth = 0; queue && depth < most_targets; depth++) {
    uintptr_t target;
    uint32_t width = interlock_queue_look(queue, &target);
    if (width == 0) return;
    pass(own, queue, AS_LOCK, width != 1 && !(is_barrier && depth == 0));
    queue = target;
  }
}

static void begin_block(thread_clock *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object;
  clock_run run = {.group = (uintptr_t)event->value};
  if (event->flags & INTERLOCK_FLAG_APPLY) {
    get(own, queue, AS_APPLY, false, false);
  } else if (event->item) {
    get(own, (uintptr_t)event->item, AS_ITEM, false, true);
    if (event->flags & INTERLOCK_FLAG_ON_GROUP) get_from(own, &ends.lock, &ends.clock);
  } else if (own->called_queue != queue) {
    run.is_foreign = true;
    get(own, queue, AS_CALL, false, false);
  }
  own->called_queue = 0;
  // Of an item that is queued twice, either run may be taken for the other.
  if (event->flags & INTERLOCK_FLAG_WORK_ITEM) know_all(own);
  if (event->flags & INTERLOCK_FLAG_JOB) {
    own->jobs++;
    get_from(own, &tasks.lock, &tasks.clock);
  }
  if (!(event->flags & INTERLOCK_FLAG_APPLY)) {
    enter_queues(own, queue, event->flags & INTERLOCK_FLAG_BARRIER);
  }
  if (own->runs < most_runs) {
    own->run[own->runs] = run;
  } else {
    lose_sight("a thread ran more than 16 blocks inside each other");
  }
  own->runs++;
}

static void end_block(thread_clock *own, const interlock_event *event) {
  uintptr_t queue = (uintptr_t)event->object;
  clock_run run = {0};
  if (own->runs > 0 && --own->runs < most_runs) run = own->run[own->runs];
  if (event->flags & INTERLOCK_FLAG_APPLY) {
    pass(own, queue, AS_APPLIED, false);
    return;
  }
  if (event->flags & INTERLOCK_FLAG_JOB && own->jobs > 0) {
    pass_to(own, &tasks.lock, &tasks.clock);
    own->jobs--;
  }
  leave_queues(own, queue, event->flags & INTERLOCK_FLAG_BARRIER);
  if (run.group) pass(own, run.group, AS_LOCK, false);
  // Not every call says to which group a block belongs.
  pass_to(own, &ends.lock, &ends.clock);
  if (run.is_foreign) pass(own, queue, AS_RETURN, false);
}

// What else there is.

static bool forget_shared(thread_clock *own, uintptr_t lock) {
  for (uint32_t index = own->shared_count; index-- > 0;) {
    if (own->shared[index] != lock) continue;
    own->shared[index] = own->shared[--own->shared_count];
    return true;
  }
  return false;
}

/// Whether a mutex that is taken or given up there is one of a user's.
static bool is_followed_from(const interlock_event *event) {
  return interlock_events_is_users(event->place) || interlock_events_is_foundation(event->place);
}

static void note_wait(thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_QUEUE:
      if (event->flags & INTERLOCK_FLAG_APPLY) {
        pass(own, object, AS_APPLY, false);
      } else {
        own->called_queue = object;
        pass(own, object, AS_CALL, false);
      }
      return;
    // The mutex is given up for as long as the wait lasts.
    case INTERLOCK_OBJECT_CONDITION: pass(own, (uintptr_t)event->other, AS_LOCK, false); return;
    default: return;
  }
}

static void note_acquire(thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_READ_LOCK:
      if (own->shared_count < most_shared) own->shared[own->shared_count++] = object;
      get(own, object, AS_LOCK, true, false);
      return;
    case INTERLOCK_OBJECT_ONCE:
      own->initialisers++;
      get(own, object, AS_LOCK, false, false);
      return;
    case INTERLOCK_OBJECT_CONDITION:
      get(own, object, AS_LOCK, false, false);
      get(own, (uintptr_t)event->other, AS_LOCK, false, false);
      return;
    case INTERLOCK_OBJECT_GROUP:
      get(own, object, AS_LOCK, false, false);
      get_from(own, &ends.lock, &ends.clock);
      return;
    case INTERLOCK_OBJECT_QUEUE:
      get(own, object, event->flags & INTERLOCK_FLAG_APPLY ? AS_APPLIED : AS_RETURN, false, false);
      own->called_queue = 0;
      return;
    case INTERLOCK_OBJECT_THREAD: join_thread(own, (pthread_t)event->object); return;
    case INTERLOCK_OBJECT_MUTEX:
      // The runtime's own locks order nothing that a user may count on: one is followed from when a user takes it.
      if (is_followed_from(event)) follow(object);
      get(own, object, AS_LOCK, false, false);
      return;
    case INTERLOCK_OBJECT_WORK_ITEM:
      // It may have run where nothing tells of it, as by `perform`.
      know_all(own);
      return;
    case INTERLOCK_OBJECT_WRITE_LOCK:
    case INTERLOCK_OBJECT_SEMAPHORE:
    case INTERLOCK_OBJECT_OWNED_FUTEX: get(own, object, AS_LOCK, false, false); return;
    default: return;
  }
}

static void note_release(thread_clock *own, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK: pass(own, object, AS_LOCK, forget_shared(own, object)); return;
    case INTERLOCK_OBJECT_ONCE:
      if (own->initialisers > 0) own->initialisers--;
      pass(own, object, AS_LOCK, false);
      return;
    case INTERLOCK_OBJECT_GROUP:
      pass(own, object, AS_LOCK, false);
      pass_to(own, &ends.lock, &ends.clock);
      return;
    // The call may be its caller's last, and return elsewhere: a lock that is followed is given up from anywhere.
    case INTERLOCK_OBJECT_MUTEX: pass_known(own, object, AS_LOCK, false, is_followed_from(event)); return;
    case INTERLOCK_OBJECT_SEMAPHORE:
    case INTERLOCK_OBJECT_CONDITION:
    case INTERLOCK_OBJECT_OWNED_FUTEX: pass(own, object, AS_LOCK, false); return;
    default: return;
  }
}

static void note(thread_clock *own, const interlock_event *event) {
  switch (event->kind) {
    case INTERLOCK_EVENT_WAIT: note_wait(own, event); return;
    case INTERLOCK_EVENT_ACQUIRE: note_acquire(own, event); return;
    case INTERLOCK_EVENT_GIVE_UP:
      // The wait is over, and the mutex is had again.
      if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
        get(own, (uintptr_t)event->other, AS_LOCK, false, false);
      }
      return;
    case INTERLOCK_EVENT_RELEASE: note_release(own, event); return;
    case INTERLOCK_EVENT_ENQUEUE:
      pass(own, (uintptr_t)event->item, AS_ITEM, false);
      if (event->flags & INTERLOCK_FLAG_JOB) pass_to(own, &tasks.lock, &tasks.clock);
      return;
    case INTERLOCK_EVENT_CANCEL: get(own, (uintptr_t)event->item, AS_ITEM, false, true); return;
    case INTERLOCK_EVENT_BEGIN: begin_block(own, event); return;
    case INTERLOCK_EVENT_END: end_block(own, event); return;
    case INTERLOCK_EVENT_FORK: pass(own, (uintptr_t)event->object, AS_THREAD, false); return;
    case INTERLOCK_EVENT_START: get(own, (uintptr_t)event->object, AS_THREAD, false, true); return;
    case INTERLOCK_EVENT_UNFOLLOWED:
      lose_sight("a Dispatch source, I/O or the notification of a work item runs code, which no event tells of");
      return;
    case INTERLOCK_EVENT_CONFIGURE:
      // A queue that was suspended, or not active yet, goes on: what it runs comes after this.
      if (event->value == -1 || event->value == 0) pass(own, (uintptr_t)event->object, AS_LOCK, false);
      return;
    case INTERLOCK_EVENT_DESTROY: forget(own, (uintptr_t)event->object); return;
    default: return;
  }
}

static void read_event(const interlock_event *event, void *context) {
  (void)context;
  if (interlock_clocks_blindness()) return;
  // The tracker's own locks are no order that a user could have meant.
  if (interlock_tracker_locks > 0) return;
  // What Dispatch's idle workers wait at orders nothing that a user may count on.
  if (event->object_kind == INTERLOCK_OBJECT_IDLE || event->object_kind == INTERLOCK_OBJECT_FUTEX) return;
  thread_clock *own = own_or_make(event);
  if (!own) return;
  if (own->is_busy) {
    lose_sight("a signal's handler met the reader at work");
    return;
  }
  own->is_busy = true;
  // The compiler keeps both marks around what lies between: a handler may look at them.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  // A task goes from thread to thread and from actor to actor unseen: what one does may come after all that anybody did.
  bool is_in_task = own->jobs > 0;
  if (is_in_task) know_all(own);
  note(own, event);
  if (is_in_task) pass_to(own, &tasks.lock, &tasks.clock);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->is_busy = false;
}

// For who asks.

bool interlock_clocks_moment(uint32_t *slot, uint32_t *count) {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2 || interlock_clocks_blindness()) return false;
  thread_clock *own = own_or_make(NULL);
  if (!own || own->jobs > 0 || own->initialisers > 0) return false;
  *slot = own->slot;
  *count = own->clock.counts[own->slot];
  return true;
}

void interlock_clocks_come_after_all(void) {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) return;
  thread_clock *own = own_or_make(NULL);
  if (own) know_all(own);
}

uint32_t interlock_clocks_seen(uint32_t slot) {
  thread_clock *own = own_clock;
  return own ? own->clock.counts[slot % most_slots] : UINT32_MAX;
}

static void forked(void) {
  // What the parent's threads did is nothing to its child, and who had the locks is not here.
  interlock_set_order_source(NULL);
  interlock_events_remove(read_event, NULL);
  slots_lock = nodes_lock = tasks.lock = ends.lock = 0;
  for (size_t index = 0; buckets && index < bucket_count; index++) buckets[index].lock = 0;
}

static bool prepare(void) {
  if (interlock_events_available() != INTERLOCK_EVENTS_ALL) return false;
  int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void *bucket_memory = mmap(NULL, bucket_count * sizeof *buckets, protection, flags, -1, 0);
  void *slot_memory = mmap(NULL, most_slots * sizeof *slots, protection, flags, -1, 0);
  if (bucket_memory == MAP_FAILED || slot_memory == MAP_FAILED) return false;
  buckets = bucket_memory;
  slots = slot_memory;
  if (pthread_key_create(&exit_key, thread_exits) != 0) return false;
  pthread_atfork(NULL, NULL, forked);
  interlock_queues_prepare();
  uint32_t kinds = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE | INTERLOCK_EVENT_GIVE_UP |
                   INTERLOCK_EVENT_RELEASE | INTERLOCK_EVENT_ENQUEUE | INTERLOCK_EVENT_CANCEL |
                   INTERLOCK_EVENT_BEGIN | INTERLOCK_EVENT_END | INTERLOCK_EVENT_FORK |
                   INTERLOCK_EVENT_START | INTERLOCK_EVENT_UNFOLLOWED |
                   INTERLOCK_EVENT_CONFIGURE | INTERLOCK_EVENT_DESTROY;
  return interlock_events_add_leaf(read_event, NULL, kinds);
}

static size_t tell_held(interlock_held_at *held, size_t capacity) {
  interlock_held_lock locks[INTERLOCK_HELD_LOCKS_MOST];
  size_t count = interlock_held_locks(locks, INTERLOCK_HELD_LOCKS_MOST);
  if (count > INTERLOCK_HELD_LOCKS_MOST) count = INTERLOCK_HELD_LOCKS_MOST;
  if (count > capacity) count = capacity;
  for (size_t index = 0; index < count; index++) {
    held[index] = (interlock_held_at){locks[index].object, locks[index].place, locks[index].outer,
                                      locks[index].kind};
  }
  return count;
}

static const interlock_order_source source = {interlock_clocks_moment, interlock_clocks_seen, tell_held};

bool interlock_clocks_start(void) {
  int none = 0;
  // Acquire and release: who finds it started finds the tables.
  if (__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    interlock_events_hide_thread(true);
    bool is_on = prepare();
    interlock_events_hide_thread(false);
    __atomic_store_n(&state, is_on ? 2 : 3, __ATOMIC_RELEASE);
    if (is_on) interlock_set_order_source(&source);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 1) sched_yield();
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2;
}
