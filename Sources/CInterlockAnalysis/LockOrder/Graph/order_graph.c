// The graph of orders. Its nodes are locks; an edge leads from a held lock to the lock that was
// acquired under it. A pair of locks has one edge for each set of locks that were held at the
// acquisition.
#include "order_graph.h"

#include <string.h>
#include <sys/mman.h>

#include "interlock_runtime.h"

extern const char *dispatch_queue_get_label(void *queue) INTERLOCK_WEAK;

enum {
  most_nodes = 1 << 15,
  most_edges = 1 << 15,
  /// Edges of one pair of locks, each with another set of held locks.
  most_variants = 16,
  pair_lists = 1 << 14,
};

typedef struct {
  interlock_order_lock view;
  uint32_t number;
  bool used;
  /// See `known_lock`.
  bool meets_main;
  /// The indexes of the node's first outgoing and first incoming edge, plus 1.
  uint32_t first_out, first_in;
} node;

typedef struct {
  /// The key is the pair of nodes, which several edges may share.
  table_entry entry;
  interlock_order_edge view;
  /// The numbers of the locks among the gates; 0 for another gate.
  uint32_t gate_numbers[most_held];
  uint64_t gates_hash;
  /// If the thread did not acquire the second lock itself but waited for a signal: the signal's
  /// index, plus 1.
  uint32_t signal;
  bool used;
  /// True if the first lock is the main queue, and the owner is the main thread outside all blocks.
  bool is_outside;
  /// The neighbours, plus 1, in the lists of the first lock's outgoing and the second lock's
  /// incoming edges: doubly linked, so that removal takes one step.
  uint32_t next_out, previous_out, next_in, previous_in;
} edge;

typedef struct {
  node nodes[most_nodes];
  edge edges[most_edges];
  uintptr_t pairs[pair_lists];
  uint32_t free_nodes[most_nodes], free_edges[most_edges];
} tables;

static tables *all;
static hash_table pairs;
static uint32_t node_count, edge_count, free_node_count, free_edge_count;

// Nodes and edges.

uint32_t interlock_order_node(known_lock *lock) {
  if (lock->node) return lock->node;
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
  made->view = (interlock_order_lock){.object = lock->entry.key,
                                      .kind = lock->kind,
                                      .created = lock->created,
                                      .is_one = lock->is_one};
  if (lock->kind == INTERLOCK_OBJECT_QUEUE && dispatch_queue_get_label) {
    // The queue is in use, so it has not been freed.
    const char *label = dispatch_queue_get_label((void *)lock->entry.key);
    if (label) strncpy(made->view.label, label, sizeof made->view.label - 1);
  }
  lock->node = index + 1;
  return index + 1;
}

/// The key of a pair of nodes. Shifted, because a table ignores the lowest bits of a key, which is
/// usually an address.
static uintptr_t pair_of(uint32_t from, uint32_t to) {
  return ((uintptr_t)from + 1) << 32 | (uintptr_t)to << 3;
}

static void link_edge(uint32_t index) {
  edge *made = &all->edges[index];
  uint32_t *first_out = &all->nodes[made->view.from].first_out;
  uint32_t *first_in = &all->nodes[made->view.to].first_in;
  made->next_out = *first_out;
  made->next_in = *first_in;
  made->previous_out = made->previous_in = 0;
  if (*first_out) all->edges[*first_out - 1].previous_out = index + 1;
  if (*first_in) all->edges[*first_in - 1].previous_in = index + 1;
  *first_out = *first_in = index + 1;
  table_add(&pairs, &made->entry, pair_of(made->view.from, made->view.to));
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
  table_remove(&pairs, &gone->entry);
  gone->used = false;
  all->free_edges[free_edge_count++] = index;
}

static void note_use(node *node, const known_lock *lock) {
  node->meets_main = lock->meets_main;
  node->view.is_lock = !lock->was_signalled &&
                       (lock->kind != INTERLOCK_OBJECT_SEMAPHORE || lock->was_given_back);
}

/// Marks the gates of an order that were signalled. A thread does not know that another one has
/// released its lock, so its later orders have that gate too.
static void mark_gates(edge *edge) {
  interlock_order_edge *view = &edge->view;
  _Static_assert(most_held <= 32, "each gate has a bit");
  for (uint32_t index = 0; index < view->gate_count; index++) {
    uintptr_t object = view->gates[index] & ~(uintptr_t)1;
    if (interlock_lock_was_signalled(object, edge->gate_numbers[index])) {
      view->released_gates |= 1u << index;
    }
  }
}

/// Removes a destroyed lock, and its edges unless they may be in a cycle.
static void forget(known_lock *lock) {
  uint32_t index = lock->node - 1;
  node *gone = &all->nodes[index];
  note_use(gone, lock);
  lock->node = 0;
  // The lock's number finds it no more. Few locks are signalled.
  for (uint32_t edge = 0; lock->was_signalled && edge < edge_count; edge++) {
    if (all->edges[edge].used) mark_gates(&all->edges[edge]);
  }
  // A destroyed lock gets no more edges. It can be in a cycle only if it has both outgoing and
  // incoming edges.
  if (gone->first_in && gone->first_out) return;
  while (gone->first_in) remove_edge(gone->first_in - 1);
  while (gone->first_out) remove_edge(gone->first_out - 1);
  gone->used = false;
  all->free_nodes[free_node_count++] = index;
}

bool interlock_order_prepare(void) {
  void *memory = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  all = memory;
  interlock_node_ends[false] = forget;
  pairs = (hash_table){.lists = all->pairs, .list_count = pair_lists};
  return true;
}

void interlock_add_order(uint32_t from, const held_lock *held, const acquisition *taken) {
  uint32_t variants = 0;
  bool is_outside = held->run == outside_run;
  for (table_entry *at = table_find(&pairs, pair_of(from, taken->to)); at; at = table_next(at)) {
    edge *known = (edge *)at;
    variants++;
    if (known->gates_hash != taken->gates_hash || known->view.from_is_shared != held->is_shared ||
        known->view.to_is_shared != taken->is_shared || known->signal != taken->signal ||
        known->is_outside != is_outside) {
      continue;
    }
    interlock_add_owner(known->view.owners, &known->view.owner_count, taken->owner);
    return;
  }
  uint32_t index;
  if (variants < most_variants && free_edge_count > 0) {
    index = all->free_edges[--free_edge_count];
  } else if (variants < most_variants && edge_count < most_edges) {
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
      // The runtime may have put the thread on a queue: a job of the main actor.
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
  memcpy(made->gate_numbers, taken->gate_numbers, sizeof taken->gate_numbers);
  made->gates_hash = taken->gates_hash;
  made->signal = taken->signal;
  made->is_outside = is_outside;
  made->used = true;
  link_edge(index);
}

// The results.

size_t interlock_order_lock_count(void) {
  if (!interlock_prediction_started()) return 0;
  take(&interlock_tables_lock);
  size_t count = node_count;
  give(&interlock_tables_lock);
  return count;
}

/// Updates the data about the use of a node's lock, unless the lock was destroyed.
static void look_at_use(node *node) {
  known_lock *known = interlock_find_lock(node->view.object, node->view.kind);
  if (known && known->number == node->number) note_use(node, known);
}

bool interlock_order_lock_at(size_t index, interlock_order_lock *lock) {
  bool found = false;
  take(&interlock_tables_lock);
  if (index < node_count && all->nodes[index].used) {
    node *node = &all->nodes[index];
    look_at_use(node);
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
    edge *known = &all->edges[index];
    mark_gates(known);
    *view = known->view;
    if (known->is_outside) look_at_use(&all->nodes[view->to]);
    // Excludes an edge whose object was signalled without this lock since.
    found = known->signal
                ? interlock_describe_signal(known->signal, all->nodes[view->to].number,
                                            &view->signal)
                : !known->is_outside || all->nodes[view->to].meets_main;
  }
  give(&interlock_tables_lock);
  return found;
}
