// The nodes: the clocks of locks, queues, blocks and other objects at which threads synchronise.
// Their memory is from the system, because the calling thread may be inside malloc.
#include "clock_node.h"

#include <sys/mman.h>

enum { list_count = 1 << 18, nodes_together = 256, most_nodes = 1 << 20 };
static hash_table nodes;

typedef struct clock_node node;

/// The number of allocated nodes.
static uint32_t nodes_made;

/// Takes a node that is in no table, without clocks; NULL if there is none. The caller holds the
/// table's lock.
static node *take_free(void) {
  bool is_last = !nodes.free && nodes.used == nodes.most;
  if (is_last && nodes_made < most_nodes) {
    void *memory = mmap(NULL, nodes_together * sizeof(node), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
      nodes_made += nodes_together;
      nodes.entries = memory;
      nodes.used = 0;
      nodes.most = nodes_together;
    }
  }
  return (node *)table_take(&nodes);
}

static node *find_or_make(uintptr_t key) {
  take(&nodes.lock);
  node *found = (node *)table_find(&nodes, key);
  if (!found && (found = take_free())) table_add(&nodes, &found->entry, key);
  give(&nodes.lock);
  if (!found) {
    interlock_clocks_lose_sight("there were more locks and tasks at a time than are followed");
  }
  return found;
}

/// Finds a node and takes its lock. If there is none, makes the node if `makes` is true, otherwise
/// returns NULL.
static node *take_node(uintptr_t key, bool makes) {
  while (true) {
    node *found = (node *)table_find(&nodes, key);
    if (!found && makes) found = find_or_make(key);
    if (!found) return NULL;
    take(&found->lock);
    if (key_now(found) == key) return found;
    // Another thread has removed the node meanwhile.
    give(&found->lock);
  }
}

/// Finds a node, takes its lock, and removes it from the table. NULL if there is none.
static node *take_last(uintptr_t key) {
  node *found = take_node(key, false);
  if (!found) return NULL;
  take(&nodes.lock);
  table_remove(&nodes, &found->entry);
  give(&nodes.lock);
  return found;
}

/// Frees a node that is in no table; the caller holds the node's lock.
static void let_go(node *last) {
  clock_snapshot *alone = last->alone, *shared = last->shared;
  last->alone = last->shared = NULL;
  last->passed_by = last->lessons = 0;
  give(&last->lock);
  interlock_clock_drop(alone, 1);
  interlock_clock_drop(shared, 1);
  take(&nodes.lock);
  table_give(&nodes, &last->entry);
  give(&nodes.lock);
}

/// Joins the thread's clock into an object's clock, which is a snapshot with the count of a slot.
/// Returns true if the two are equal now.
static bool add(clock_snapshot **into, uint32_t slot, uint64_t count, thread_clock *own) {
  clock_snapshot *old = *into;
  uint32_t width = interlock_clock_snapshot_width(old);
  if (width == clock_width() && clock_is_only_user(old)) {
    if (old->counts[slot] < count) old->counts[slot] = count;
    return !clock_join_counts(old->counts, own->clock.counts, width).had_more;
  }
  clock_snapshot *made = interlock_clock_snapshot(&own->clock, 1);
  if (!made) return false;
  bool is_same = !clock_join_counts(made->counts, old->counts, width).has_grown;
  if (made->counts[slot] < count) {
    made->counts[slot] = count;
    is_same = false;
  }
  *into = made;
  interlock_clock_drop_later(own, old);
  return is_same;
}

static void pass_alone(thread_clock *own, node *node) {
  if (node->passed_by != own->number || node->lessons != own->lessons) {
    bool is_same = true;
    if (node->alone) {
      is_same = add(&node->alone, node->slot, node->count, own);
    } else {
      node->alone = interlock_clock_snapshot_now(own);
    }
    node->passed_by = is_same ? own->number : 0;
    node->lessons = own->lessons;
    node->slot = own->slot;
  }
  // Only the thread's own count has changed since.
  node->count = own->clock.counts[own->slot];
}

static void pass_shared(thread_clock *own, node *node) {
  if (node->shared) {
    add(&node->shared, own->slot, 0, own);
  } else {
    node->shared = interlock_clock_snapshot(&own->clock, 1);
  }
}

static void get_from_node(thread_clock *own, const node *node, bool is_shared) {
  // The thread already knows the clock that it released last itself.
  if (node->alone && node->passed_by != own->number) {
    interlock_clock_learn_snapshot(own, node->alone, node->slot, node->count);
  }
  if (node->shared && !is_shared) interlock_clock_learn_snapshot(own, node->shared, own->slot, 0);
}

void interlock_clock_pass(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared) {
  node *found = take_node(key_of(address, purpose), true);
  if (!found) return;
  if (is_shared) {
    pass_shared(own, found);
  } else {
    pass_alone(own, found);
  }
  give(&found->lock);
  clock_count_on(own);
}

bool interlock_clock_get(thread_clock *own, uintptr_t address, purpose purpose, bool is_shared,
                         bool is_last) {
  uintptr_t key = key_of(address, purpose);
  node *found = is_last ? take_last(key) : take_node(key, false);
  if (!found) return false;
  get_from_node(own, found, is_shared);
  if (is_last) {
    let_go(found);
  } else {
    give(&found->lock);
  }
  return true;
}

/// Returns the node of a queue with the node's lock taken; NULL if there is none.
static node *take_queue(thread_clock *own, uintptr_t queue, bool makes) {
  uintptr_t key = key_of(queue, AS_LOCK);
  if (own->queue == queue) {
    take(&own->queue_node->lock);
    if (key_now(own->queue_node) == key) return own->queue_node;
    // The queue was destroyed, and another object has its node.
    give(&own->queue_node->lock);
  }
  node *found = take_node(key, makes);
  own->queue = found ? queue : 0;
  own->queue_node = found;
  return found;
}

void interlock_clock_pass_queue(thread_clock *own, uintptr_t queue, bool is_shared) {
  node *found = take_queue(own, queue, true);
  if (!found) return;
  if (is_shared) {
    pass_shared(own, found);
  } else {
    pass_alone(own, found);
  }
  give(&found->lock);
  clock_count_on(own);
}

void interlock_clock_get_queue(thread_clock *own, uintptr_t queue, bool is_shared) {
  node *found = take_queue(own, queue, false);
  if (!found) return;
  get_from_node(own, found, is_shared);
  give(&found->lock);
}

/// True if the clocks follow a mutex that is acquired or released at this place. A separate
/// function, so that its callers stay small enough to be inlined.
__attribute__((noinline)) static bool is_followed(uintptr_t place) {
  // Tested twice, because `interlock_events_is_users` finds a Foundation that was loaded late.
  return interlock_events_is_foundation(place) || interlock_events_is_users(place) ||
         interlock_events_is_foundation(place) ||
         (interlock_clock_tasks_are_exact && interlock_events_is_concurrency(place));
}

/// Returns the node of the thread's last lock with the node's lock taken; NULL if the address is
/// another lock's.
static inline node *take_last_lock(const thread_clock *own, uintptr_t address) {
  if (own->lock != address) return NULL;
  take(&own->lock_node->lock);
  if (key_now(own->lock_node) == key_of(address, AS_LOCK)) return own->lock_node;
  // The lock was destroyed, and another object has its node.
  give(&own->lock_node->lock);
  return NULL;
}

/// Returns a lock's node with the node's lock taken, makes it the thread's last lock, and makes the
/// node if there is none and `makes` is true. NULL if there is none.
static node *take_other_lock(thread_clock *own, uintptr_t address, bool makes) {
  node *found = take_node(key_of(address, AS_LOCK), makes);
  own->lock = found ? address : 0;
  own->lock_node = found;
  return found;
}

/// Returns a mutex's node with the node's lock taken; NULL if the mutex is not followed.
static node *take_mutex(thread_clock *own, uintptr_t address, uintptr_t place) {
  node *last = take_last_lock(own, address);
  return last ? last : take_other_lock(own, address, is_followed(place));
}

void interlock_clock_get_mutex(thread_clock *own, uintptr_t address, uintptr_t place) {
  // While the runtime makes a task, it takes its own locks only to list the task, and runs no
  // handler. So the new task does not come after children that have ended by then.
  if (interlock_events_makes_task() && interlock_events_is_concurrency(place)) return;
  if (is_left_by(own, address)) return;
  if (!interlock_clock_tasks_are_exact && own->lock != address &&
      interlock_events_is_concurrency(place)) {
    // The runtime takes its lock before it runs a handler of a cancellation or of a stream's end.
    // The handler comes after the code that set it.
    interlock_clock_know_all(own);
    return;
  }
  node *found = take_mutex(own, address, place);
  if (!found) return;
  get_from_node(own, found, false);
  give(&found->lock);
}

void interlock_clock_pass_mutex(thread_clock *own, uintptr_t address, uintptr_t place) {
  if (can_pass_again(own, address)) {
    pass_again(own);
    return;
  }
  // A tail call returns to another function, so the place of a release may be anywhere. A followed
  // mutex therefore stays followed.
  node *found = take_mutex(own, address, place);
  if (!found) return;
  pass_alone(own, found);
  give(&found->lock);
  clock_count_on(own);
}

void interlock_clock_get_semaphore(thread_clock *own, uintptr_t address) {
  node *found = take_last_lock(own, address);
  if (!found && !(found = take_other_lock(own, address, false))) return;
  get_from_node(own, found, false);
  give(&found->lock);
}

void interlock_clock_pass_semaphore(thread_clock *own, uintptr_t address) {
  node *found = take_last_lock(own, address);
  if (!found && !(found = take_other_lock(own, address, true))) return;
  pass_alone(own, found);
  give(&found->lock);
  clock_count_on(own);
}

bool interlock_clock_is_lock(uintptr_t address) {
  return table_find(&nodes, key_of(address, AS_LOCK)) != NULL;
}

void interlock_clock_forget(uintptr_t address, purpose purpose) {
  node *found = take_last(key_of(address, purpose));
  if (found) let_go(found);
}

void interlock_clock_pass_to(thread_clock *own, common_clock *common) {
  take(&common->lock);
  clock_join(&common->clock, &own->clock);
  give(&common->lock);
  clock_count_on(own);
}

void interlock_clock_get_from(thread_clock *own, common_clock *common) {
  take(&common->lock);
  clock_learn(own, &common->clock);
  give(&common->lock);
}

bool interlock_clock_nodes_prepare(void) {
  void *memory = mmap(NULL, list_count * sizeof *nodes.lists, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  nodes = (hash_table){.lists = memory, .list_count = list_count, .size = sizeof(node)};
  return true;
}

void interlock_clock_nodes_forked(void) { nodes.lock = 0; }
