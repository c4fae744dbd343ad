// The orders in which locks are taken: an edge from each that is held to the one that is taken, once for each set of
// locks held with it. A chain of locks and places that has been seen by enough owners costs one look-up.
#include "prediction.h"

#include <string.h>
#include <sys/mman.h>

#include "interlock_runtime.h"

extern const char *dispatch_queue_get_label(void *queue) INTERLOCK_WEAK;

enum {
  most_nodes = 1 << 15,
  most_edges = 1 << 15,
  /// Of one pair of locks, by what else was held.
  most_variants = 16,
  edge_lists = 1 << 14,
  chain_slots = 1 << 14,
  /// A thread's held locks, and the serial queues that its queues run on.
  most_held = INTERLOCK_HELD_LOCKS_MOST * 2,
};

typedef struct {
  interlock_order_lock view;
  uint32_t number;
  bool used;
  /// The first edges from it and to it, plus 1.
  uint32_t first_out, first_in;
} node;

typedef struct {
  interlock_order_edge view;
  uint64_t gates_hash;
  bool used;
  /// Neighbours among those from its first lock and among those to its second, plus 1: in both directions, so that one of
  /// thousands is taken out in one step. The lists by pairs are short.
  uint32_t next_out, previous_out, next_in, previous_in, next_of_list;
} edge;

/// A chain, and who has been seen to go along it.
typedef struct {
  uint64_t hash;
  uint64_t owners[INTERLOCK_ORDER_OWNERS];
  uint32_t owner_count;
} chain;

typedef struct {
  node nodes[most_nodes];
  edge edges[most_edges];
  uint32_t lists[edge_lists];
  chain chains[chain_slots];
  uint32_t free_nodes[most_nodes], free_edges[most_edges];
} tables;

static tables *all;
static uint32_t node_count, edge_count, free_node_count, free_edge_count;

bool interlock_order_prepare(void) {
  void *memory = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  all = memory;
  return true;
}

// Nodes and edges.

static uint32_t make_node(known_lock *lock) {
  uint32_t index;
  if (free_node_count > 0) {
    index = all->free_nodes[--free_node_count];
  } else if (node_count < most_nodes) {
    index = node_count++;
  } else {
    interlock_losses.orders = true;
    return 0;
  }
  node *made = &all->nodes[index];
  memset(made, 0, sizeof *made);
  made->used = true;
  made->number = lock->number;
  made->view = (interlock_order_lock){
      .object = lock->object, .kind = lock->kind, .created = lock->created, .is_one = lock->is_one};
  if (lock->kind == INTERLOCK_OBJECT_QUEUE && dispatch_queue_get_label) {
    // It is being used, so it lives.
    const char *label = dispatch_queue_get_label((void *)lock->object);
    if (label) strncpy(made->view.label, label, sizeof made->view.label - 1);
  }
  lock->node = index + 1;
  return index + 1;
}

static uint32_t list_of(uint32_t from, uint32_t to) {
  return (uint32_t)(mix(mix(0, from), to) >> 32) % edge_lists;
}

static void link_edge(uint32_t index) {
  edge *made = &all->edges[index];
  uint32_t *first_out = &all->nodes[made->view.from].first_out;
  uint32_t *first_in = &all->nodes[made->view.to].first_in;
  uint32_t *list = &all->lists[list_of(made->view.from, made->view.to)];
  made->next_out = *first_out;
  made->next_in = *first_in;
  made->next_of_list = *list;
  made->previous_out = made->previous_in = 0;
  if (*first_out) all->edges[*first_out - 1].previous_out = index + 1;
  if (*first_in) all->edges[*first_in - 1].previous_in = index + 1;
  *first_out = *first_in = *list = index + 1;
}

static void remove_edge(uint32_t index) {
  edge *gone = &all->edges[index];
  uint32_t *to_gone = gone->previous_out ? &all->edges[gone->previous_out - 1].next_out
                                         : &all->nodes[gone->view.from].first_out;
  *to_gone = gone->next_out;
  if (gone->next_out) all->edges[gone->next_out - 1].previous_out = gone->previous_out;
  to_gone = gone->previous_in ? &all->edges[gone->previous_in - 1].next_in
                              : &all->nodes[gone->view.to].first_in;
  *to_gone = gone->next_in;
  if (gone->next_in) all->edges[gone->next_in - 1].previous_in = gone->previous_in;
  for (uint32_t *at = &all->lists[list_of(gone->view.from, gone->view.to)]; *at;
       at = &all->edges[*at - 1].next_of_list) {
    if (*at != index + 1) continue;
    *at = gone->next_of_list;
    break;
  }
  gone->used = false;
  all->free_edges[free_edge_count++] = index;
}

static void note_use(node *node, const known_lock *lock) {
  node->view.is_lock = lock->kind != INTERLOCK_OBJECT_SEMAPHORE ||
                       (lock->was_given_back && !lock->was_signalled);
}

void interlock_order_forget(known_lock *lock) {
  if (!lock->node) return;
  uint32_t index = lock->node - 1;
  node *gone = &all->nodes[index];
  note_use(gone, lock);
  lock->node = 0;
  // What only led to it, or from it, can be a part of no cycle any more: nobody takes it again.
  if (gone->first_in && gone->first_out) return;
  while (gone->first_in) remove_edge(gone->first_in - 1);
  while (gone->first_out) remove_edge(gone->first_out - 1);
  gone->used = false;
  all->free_nodes[free_node_count++] = index;
}

static bool add_owner(uint64_t *owners, uint32_t *count, uint64_t owner) {
  for (uint32_t index = 0; index < *count; index++) {
    if (owners[index] == owner) return false;
  }
  if (*count == INTERLOCK_ORDER_OWNERS) return false;
  owners[(*count)++] = owner;
  return true;
}

/// What is known of one acquisition.
typedef struct {
  uint64_t owner;
  uint32_t to;
  bool is_shared;
  uintptr_t place, outer;
  uintptr_t gates[most_held];
  uint32_t gate_count;
  uint64_t gates_hash;
  const interlock_actor_view *actor;
} acquisition;

static void note_edge(uint32_t from, const held_lock *held, const acquisition *taken) {
  uint32_t *list = &all->lists[list_of(from, taken->to)];
  uint32_t variants = 0;
  for (uint32_t at = *list; at; at = all->edges[at - 1].next_of_list) {
    edge *known = &all->edges[at - 1];
    if (known->view.from != from || known->view.to != taken->to) continue;
    variants++;
    if (known->gates_hash != taken->gates_hash || known->view.from_is_shared != held->is_shared ||
        known->view.to_is_shared != taken->is_shared) {
      continue;
    }
    add_owner(known->view.owners, &known->view.owner_count, taken->owner);
    return;
  }
  uint32_t index;
  if (variants >= most_variants) return;
  if (free_edge_count > 0) {
    index = all->free_edges[--free_edge_count];
  } else if (edge_count < most_edges) {
    index = edge_count++;
  } else {
    interlock_losses.orders = true;
    return;
  }
  edge *made = &all->edges[index];
  made->view = (interlock_order_edge){
      .from = from,
      .to = taken->to,
      .from_is_shared = held->is_shared,
      .to_is_shared = taken->is_shared,
      // Who is on a queue may have been put there by the runtime: a job of the main actor.
      .is_users = interlock_events_is_users(taken->place) &&
                  (held->kind == INTERLOCK_OBJECT_QUEUE || interlock_events_is_users(held->place)),
      .owners = {taken->owner},
      .owner_count = 1,
      .gate_count = taken->gate_count,
      .from_place = held->place,
      .from_outer = held->outer,
      .to_place = taken->place,
      .to_outer = taken->outer,
      .actor = *taken->actor};
  memcpy(made->view.gates, taken->gates, taken->gate_count * sizeof *taken->gates);
  made->gates_hash = taken->gates_hash;
  made->used = true;
  link_edge(index);
}

// Chains.

/// A queue, and the serial queues that its blocks run on in turn: who is on one has them all.
static uint32_t with_targets(held_lock first, held_lock *locks, uint32_t room) {
  uint32_t count = 0;
  if (room > 0) locks[count++] = first;
  if (first.kind != INTERLOCK_OBJECT_QUEUE) return count;
  uintptr_t queue, target;
  interlock_queue_look(first.object, &queue);
  for (int depth = 0; queue && count < room && depth < 8; depth++, queue = target) {
    uint32_t width = interlock_queue_look(queue, &target);
    if (width == 0) break;
    held_lock next = first;
    next.object = queue;
    next.is_shared = width != 1;
    if (width == 1) locks[count++] = next;
  }
  return count;
}

static uint64_t hash_of(const held_lock *locks, uint32_t count, uint64_t hash) {
  for (uint32_t index = 0; index < count; index++) {
    hash = mix(mix(hash, locks[index].object), locks[index].place << 1 | locks[index].is_shared);
  }
  return hash;
}

/// The same by the locks' numbers, which stay right when others are made or destroyed. Locks that are not known are
/// noted. Under the lock of the tables.
static uint64_t number_hash_of(const held_lock *locks, uint32_t count, uint64_t hash) {
  for (uint32_t index = 0; index < count; index++) {
    const known_lock *lock = interlock_note_lock(locks[index].object, locks[index].kind);
    hash = mix(mix(hash, lock ? lock->number : locks[index].object),
               locks[index].place << 1 | locks[index].is_shared);
  }
  return hash;
}

/// Whether enough owners have gone along a chain, this one among them: then there is nothing more to learn from it.
static bool is_known(uint64_t hash, uint64_t owner, bool *needs_no_owner) {
  chain *slot = &all->chains[hash % chain_slots];
  if (slot->hash != hash) *slot = (chain){.hash = hash};
  bool is_new = add_owner(slot->owners, &slot->owner_count, owner);
  *needs_no_owner = slot->owner_count == INTERLOCK_ORDER_OWNERS;
  return !is_new;
}

static bool is_among(const held_lock *held, uint32_t count, uintptr_t object) {
  for (uint32_t index = 0; index < count; index++) {
    if (held[index].object == object) return true;
  }
  return false;
}

static void note_chain(const held_lock *held, uint32_t held_count, const held_lock *wanted,
                       uint32_t wanted_count, acquisition *taken) {
  // First all that are held: noting one may not move another, and a pointer would be no longer right.
  uint32_t nodes[most_held];
  for (uint32_t index = 0; index < held_count; index++) {
    nodes[index] = 0;
    // An initialiser runs once: nobody takes it a second time.
    if (held[index].kind == INTERLOCK_OBJECT_ONCE) continue;
    known_lock *lock = interlock_note_lock(held[index].object, held[index].kind);
    if (lock) nodes[index] = lock->node ? lock->node : make_node(lock);
  }
  for (uint32_t number = 0; number < wanted_count; number++) {
    if (is_among(held, held_count, wanted[number].object)) continue;
    known_lock *lock = interlock_note_lock(wanted[number].object, wanted[number].kind);
    if (!lock) continue;
    uint32_t to = lock->node ? lock->node : make_node(lock);
    if (!to) continue;
    taken->to = to - 1;
    taken->is_shared = wanted[number].is_shared;
    for (uint32_t index = 0; index < held_count; index++) {
      if (nodes[index]) note_edge(nodes[index] - 1, &held[index], taken);
    }
  }
}

/// Looks a chain up, and notes it where it is new. Gives whether the next owner need not be looked at.
static bool look_closer(thread_state *state, const held_lock *target, uint64_t owner,
                        uintptr_t gate) {
  held_lock held[most_held], wanted[8];
  uint32_t held_count = 0;
  for (uint32_t index = 0; index < state->held_count; index++) {
    held_count += with_targets(state->held[index], held + held_count, most_held - 1 - held_count);
  }
  uint32_t wanted_count = with_targets(*target, wanted, 8);
  owner = interlock_final_owner(state, owner, target->place);
  bool needs_no_owner;
  take(&interlock_tables_lock);
  uint64_t hash = number_hash_of(held, held_count, mix(2, gate));
  bool known = is_known(number_hash_of(wanted, wanted_count, hash), owner, &needs_no_owner);
  give(&interlock_tables_lock);
  if (known) return needs_no_owner;
  acquisition taken = {.owner = owner, .place = target->place, .outer = target->outer};
  for (uint32_t index = 0; index < held_count; index++) {
    taken.gates[taken.gate_count++] = held[index].object | held[index].is_shared;
  }
  if (gate) taken.gates[taken.gate_count++] = gate & ~(uintptr_t)1;
  for (uint32_t index = 0; index < taken.gate_count; index++) {
    taken.gates_hash = mix(taken.gates_hash, taken.gates[index]);
  }
  interlock_actor_view actor;
  interlock_describe_actor(state, target->place, &actor);
  // A library's lock in a thread that runs no user's code has no place: what was found for one is a word of the stack.
  if (actor.stack_count == 0) return needs_no_owner;
  taken.actor = &actor;
  take(&interlock_tables_lock);
  note_chain(held, held_count, wanted, wanted_count, &taken);
  give(&interlock_tables_lock);
  return needs_no_owner;
}

void interlock_note_order(thread_state *state, uintptr_t object, uint32_t kind, bool is_shared,
                          uintptr_t place, uintptr_t outer) {
  // Of a thread that holds more than is known, or acts for one, it is not known which locks exclude others.
  if (state->untold > 0 || state->borrowed > 0 || state->run_count > runs_most) return;
  held_lock target = {
      .object = object, .place = place, .outer = outer, .kind = (uint8_t)kind, .is_shared = is_shared};
  // A thread that is in no block is its own owner, for most that is the end of it; who runs a task is asked for.
  uintptr_t gate = 0;
  uint64_t owner = state->run_count > 0 ? interlock_owner(state, &gate) : 0;
  // Relaxed: see where it is counted.
  uint64_t base = mix(gate, __atomic_load_n(&interlock_locks_changed, __ATOMIC_RELAXED));
  base = hash_of(state->held, state->held_count, base);
  base = hash_of(&target, 1, base);
  uint64_t own = mix(base, owner);
  uint64_t *slot = &state->chains[base % known_chains];
  if (*slot == base || *slot == own) return;
  // Hidden: what is called from here is not the user's, and a signal's handler would wait for its own thread.
  interlock_events_hide_thread(true);
  if (!owner) owner = interlock_owner(state, &gate);
  *slot = look_closer(state, &target, owner, gate) ? base : own;
  interlock_events_hide_thread(false);
}

// What was found.

size_t interlock_order_lock_count(void) {
  if (!interlock_prediction_started()) return 0;
  take(&interlock_tables_lock);
  size_t count = node_count;
  give(&interlock_tables_lock);
  return count;
}

bool interlock_order_lock_at(size_t index, interlock_order_lock *lock) {
  bool found = false;
  take(&interlock_tables_lock);
  if (index < node_count && all->nodes[index].used) {
    node *node = &all->nodes[index];
    known_lock *known = interlock_find_lock(node->view.object, node->view.kind);
    if (known && known->number == node->number) note_use(node, known);
    *lock = node->view;
    found = true;
  }
  give(&interlock_tables_lock);
  return found;
}

size_t interlock_order_edge_count(void) {
  if (!interlock_prediction_started()) return 0;
  take(&interlock_tables_lock);
  size_t count = edge_count;
  give(&interlock_tables_lock);
  return count;
}

bool interlock_order_edge_at(size_t index, interlock_order_edge *view) {
  bool found = false;
  take(&interlock_tables_lock);
  if (index < edge_count && all->edges[index].used) {
    *view = all->edges[index].view;
    found = true;
  }
  give(&interlock_tables_lock);
  return found;
}
