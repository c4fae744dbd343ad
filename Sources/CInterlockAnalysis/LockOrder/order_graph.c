// The graph of orders: its nodes are locks, and an edge leads from each that was held to the one
// that was taken, once for each set of locks held with it.
#include "order_graph.h"

#include <string.h>
#include <sys/mman.h>

#include "interlock_runtime.h"

extern const char *dispatch_queue_get_label(void *queue) INTERLOCK_WEAK;

enum {
  most_nodes = 1 << 15,
  most_edges = 1 << 15,
  /// Of one pair of locks, by what else was held.
  most_variants = 16,
  pair_lists = 1 << 14,
};

typedef struct {
  interlock_order_lock view;
  uint32_t number;
  bool used;
  /// The first edges from it and to it, plus 1.
  uint32_t first_out, first_in;
} node;

typedef struct {
  /// By its pair of nodes; other edges may have the same.
  table_entry entry;
  interlock_order_edge view;
  uint64_t gates_hash;
  /// What was waited for instead of the second lock, under which it is signalled: its index, plus
  /// 1.
  uint32_t signal;
  bool used;
  /// Neighbours among those from its first lock and among those to its second, plus 1: in both
  /// directions, so that one of thousands is taken out in one step.
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

bool interlock_order_prepare(void) {
  void *memory = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  all = memory;
  pairs = (hash_table){.lists = all->pairs, .list_count = pair_lists};
  return true;
}

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
    // It is being used, so it lives.
    const char *label = dispatch_queue_get_label((void *)lock->entry.key);
    if (label) strncpy(made->view.label, label, sizeof made->view.label - 1);
  }
  lock->node = index + 1;
  return index + 1;
}

/// Spread, because a table ignores the lowest bits of its keys, which are addresses elsewhere.
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
  node->view.is_lock = lock->kind != INTERLOCK_OBJECT_SEMAPHORE ||
                       (lock->was_given_back && !lock->was_signalled);
}

void interlock_order_forget(known_lock *lock) {
  if (!lock->node) return;
  uint32_t index = lock->node - 1;
  node *gone = &all->nodes[index];
  note_use(gone, lock);
  lock->node = 0;
  // What only led to it, or from it, can be a part of no cycle any more: no thread takes it again.
  if (gone->first_in && gone->first_out) return;
  while (gone->first_in) remove_edge(gone->first_in - 1);
  while (gone->first_out) remove_edge(gone->first_out - 1);
  gone->used = false;
  all->free_nodes[free_node_count++] = index;
}

void interlock_add_order(uint32_t from, const held_lock *held, const acquisition *taken) {
  uint32_t variants = 0;
  for (table_entry *at = table_find(&pairs, pair_of(from, taken->to)); at; at = table_next(at)) {
    edge *known = (edge *)at;
    variants++;
    if (known->gates_hash != taken->gates_hash || known->view.from_is_shared != held->is_shared ||
        known->view.to_is_shared != taken->is_shared || known->signal != taken->signal) {
      continue;
    }
    interlock_add_owner(known->view.owners, &known->view.owner_count, taken->owner);
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
  made->gates_hash = taken->gates_hash;
  made->signal = taken->signal;
  made->used = true;
  link_edge(index);
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
    const edge *known = &all->edges[index];
    *view = known->view;
    // What was signalled elsewhere since waits for this lock no more.
    found = !known->signal ||
            interlock_describe_signal(known->signal, all->nodes[view->to].number, &view->signal);
  }
  give(&interlock_tables_lock);
  return found;
}
