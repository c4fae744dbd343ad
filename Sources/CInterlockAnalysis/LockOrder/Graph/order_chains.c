// The orders in which locks are acquired. A chain consists of the held locks with their places, and
// the lock that is acquired. Once enough owners have used a chain, it costs one look-up.
#include "order_graph.h"

#include <string.h>
#include <sys/mman.h>

enum { chain_slots = 1 << 14 };

/// A chain, and the first owners that have used it.
typedef struct {
  uint64_t hash;
  uint64_t owners[INTERLOCK_ORDER_OWNERS];
  uint32_t owner_count;
} chain;

static chain *all_chains;

bool interlock_chains_prepare(void) {
  void *memory = mmap(NULL, chain_slots * sizeof *all_chains, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  all_chains = memory;
  return true;
}

// Chains.

/// Writes a lock. If the lock is a queue, also writes the serial queues that it targets, because a
/// block of the queue holds them too.
uint32_t interlock_with_targets(held_lock first, held_lock *locks, uint32_t room) {
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

/// A hash of locks and places by the locks' numbers, which stay valid when other locks are created
/// or destroyed. Adds unknown locks to the table. The caller holds the lock of the tables.
static uint64_t number_hash_of(const held_lock *locks, uint32_t count, uint64_t hash) {
  for (uint32_t index = 0; index < count; index++) {
    const known_lock *lock = interlock_note_lock(locks[index].object, locks[index].kind);
    hash = mix(mix(hash, lock ? lock->number : locks[index].object),
               locks[index].place << 1 | locks[index].is_shared);
  }
  return hash;
}

/// True if a chain shows nothing new: this owner has used it before, or enough other owners have.
/// The latter sets `needs_no_owner`.
static bool is_known(uint64_t hash, uint64_t owner, bool *needs_no_owner) {
  chain *slot = &all_chains[hash % chain_slots];
  if (slot->hash != hash) *slot = (chain){.hash = hash};
  bool is_new = interlock_add_owner(slot->owners, &slot->owner_count, owner);
  *needs_no_owner = slot->owner_count == INTERLOCK_ORDER_OWNERS;
  return !is_new;
}

static bool is_among(const held_lock *held, uint32_t count, uintptr_t object) {
  for (uint32_t index = 0; index < count; index++) {
    if (held[index].object == object) return true;
  }
  return false;
}

/// The node of a held lock; 0 if it has none.
static uint32_t node_of(const held_lock *held) {
  if (interlock_is_only_gate(held)) return 0;
  known_lock *lock = interlock_current_lock(held->object, held->kind);
  return lock ? interlock_order_node(lock) : 0;
}

static void note_chain(const held_lock *held, uint32_t held_count, const held_lock *wanted,
                       uint32_t wanted_count, acquisition *taken) {
  uint32_t nodes[most_held];
  for (uint32_t index = 0; index < held_count; index++) nodes[index] = node_of(&held[index]);
  for (uint32_t number = 0; number < wanted_count; number++) {
    if (is_among(held, held_count, wanted[number].object)) continue;
    uint32_t to = node_of(&wanted[number]);
    if (!to) continue;
    taken->to = to - 1;
    taken->is_shared = wanted[number].is_shared;
    for (uint32_t index = 0; index < held_count; index++) {
      if (nodes[index]) interlock_add_order(nodes[index] - 1, &held[index], taken);
    }
  }
}

/// Records an edge from a lock to itself.
static void note_loop(const held_lock *first, const held_lock *target, acquisition *taken) {
  uint32_t node = node_of(first);
  if (!node) return;
  taken->to = node - 1;
  taken->is_shared = target->is_shared;
  interlock_add_order(node - 1, first, taken);
}

/// Looks a chain up, and records its orders if it is new. Returns true if the chain needs no more
/// owners. `first` is the thread's entry for the target if the thread already holds the target,
/// otherwise NULL; `signal` is as in `acquisition`.
__attribute__((noinline)) static bool look_closer(thread_record *own, const held_lock *target,
                                                  const held_lock *first, uint32_t signal,
                                                  uint64_t owner, uintptr_t gate) {
  held_lock held[most_held], wanted[8];
  uint32_t held_count = 0;
  for (uint32_t index = 0; index < own->held.count; index++) {
    const held_lock *lock = &own->held.locks[index];
    if (!interlock_is_in_order(lock)) continue;
    held_count += interlock_with_targets(*lock, held + held_count, most_held - 1 - held_count);
  }
  uint32_t wanted_count = interlock_with_targets(*target, wanted, 8);
  owner = interlock_final_owner(own, owner, target->place);
  bool needs_no_owner;
  take(&interlock_tables_lock);
  uint64_t hash = number_hash_of(held, held_count, mix(2, gate));
  hash = mix(hash, (uint64_t)signal << 2 | (first ? 2 | first->is_shared : 0));
  bool known = is_known(number_hash_of(wanted, wanted_count, hash), owner, &needs_no_owner);
  give(&interlock_tables_lock);
  if (known) return needs_no_owner;
  acquisition taken = {
      .owner = owner, .place = target->place, .outer = target->outer, .signal = signal};
  for (uint32_t index = 0; index < held_count; index++) {
    taken.gates[taken.gate_count++] = held[index].object | held[index].is_shared;
  }
  if (gate) taken.gates[taken.gate_count++] = gate & ~(uintptr_t)1;
  for (uint32_t index = 0; index < taken.gate_count; index++) {
    taken.gates_hash = mix(taken.gates_hash, taken.gates[index]);
  }
  interlock_actor_view actor;
  interlock_describe_actor(own, target->place, &actor);
  // A library's lock on a thread without user code has no place: the address found for it is an
  // arbitrary word of the stack.
  if (actor.stack_count == 0) return needs_no_owner;
  taken.actor = &actor;
  take(&interlock_tables_lock);
  for (uint32_t index = 0; index < held_count; index++) {
    const known_lock *lock = interlock_find_lock(held[index].object, held[index].kind);
    taken.gate_numbers[index] = lock ? lock->number : 0;
  }
  if (first) {
    note_loop(first, target, &taken);
  } else {
    note_chain(held, held_count, wanted, wanted_count, &taken);
  }
  give(&interlock_tables_lock);
  return needs_no_owner;
}

/// Inlined, because most arguments are constants in each caller, and every nested lock calls it.
__attribute__((always_inline)) static inline void note(thread_record *own, const held_lock *target,
                                                       const held_lock *first, uint32_t signal) {
  // If the held list is incomplete, an unknown lock may exclude the other order.
  if (!interlock_knows_held(own)) {
    if (own->order.run_count > runs_most) interlock_losses.held = true;
    return;
  }
  // Outside a block the owner is the thread, or the task that `interlock_owner` finds below.
  uintptr_t gate = 0;
  uint64_t owner = own->order.run_count > 0 ? interlock_owner(own, &gate) : 0;
  uint64_t base = interlock_chain_hash(own, gate, target);
  if (first) base = mix(base, 2 | first->is_shared);
  if (signal) base = mix(base, signal);
  uint64_t by_owner = mix(base, owner);
  uint64_t *slot = interlock_chain_slot(own, base);
  if (*slot == base || *slot == by_owner) return;
  // Hidden, because the calls below are not the user's.
  interlock_events_hide_thread(true);
  if (!owner) owner = interlock_owner(own, &gate);
  *slot = look_closer(own, target, first, signal, owner, gate) ? base : by_owner;
  interlock_events_hide_thread(false);
}

void interlock_note_order(thread_record *own, uintptr_t object, uint32_t kind, bool is_shared,
                          uintptr_t place, uintptr_t outer) {
  held_lock target = {.object = object,
                      .place = place,
                      .outer = outer,
                      .kind = (uint8_t)kind,
                      .is_shared = is_shared};
  note(own, &target, NULL, 0);
}

void interlock_note_loop(thread_record *own, held_lock first, bool is_shared, uint32_t signal,
                         uintptr_t place, uintptr_t outer) {
  held_lock target = first;
  target.place = place;
  target.outer = outer;
  target.is_shared = is_shared;
  note(own, &target, &first, signal);
}

void interlock_note_signal(thread_record *own, held_lock gate, uint32_t signal) {
  note(own, &gate, NULL, signal);
}
