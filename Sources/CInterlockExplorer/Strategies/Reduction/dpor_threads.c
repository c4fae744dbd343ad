// Optimal DPOR: identities of threads. An engine numbers threads in the order of their creation,
// which differs between executions. The n-th thread that a thread makes is the same thread in all
// executions.

#include "dpor.h"

/// Marks a free identity, in place of its parent.
enum { NO_PARENT = UINT8_MAX };

// Returns the threads of the steps in a branch. Recurses only where the tree branches, because
// chains are as long as executions.
static uint64_t threads_of_branch(const interlock_wakeup_node *node) {
  uint64_t threads = 0;
  while (node) {
    threads |= 1ull << node->thread;
    for (const interlock_deferred_sequence *d = node->deferred; d; d = d->next) {
      for (uint32_t i = 0; i < d->count; i++) threads |= 1ull << d->steps[i].thread;
    }
    const interlock_wakeup_node *child = node->first_child;
    for (const interlock_wakeup_node *other = child ? child->next_sibling : NULL; other;
         other = other->next_sibling) {
      threads |= threads_of_branch(other);
    }
    node = child;
  }
  return threads;
}

// Frees the identities of threads that only past executions had: no state on the stack and no
// branch left to run refers to them. Returns a free identity, or INTERLOCK_DPOR_THREADS.
static uint32_t free_identities(interlock_dpor *dpor, uint32_t engine_threads) {
  uint64_t used = 0;
  for (uint32_t number = 0; number < engine_threads; number++) {
    used |= 1ull << dpor->identity[number];
  }
  for (uint32_t i = 0; i < dpor->open; i++) {
    const interlock_dpor_frame *frame = &dpor->frames[i];
    used |= 1ull << frame->thread | frame->enabled | frame->asleep;
    for (const interlock_wakeup_node *node = frame->children; node; node = node->next_sibling) {
      used |= threads_of_branch(node);
    }
  }
  // Keep the parents as well: a thread is recognised by its parent.
  for (uint64_t before = 0; before != used;) {
    before = used;
    for (uint64_t left = used; left; left &= left - 1) {
      uint8_t parent = dpor->parent[__builtin_ctzll(left)];
      if (parent < INTERLOCK_DPOR_THREADS) used |= 1ull << parent;
    }
  }
  for (uint64_t left = ~used; left; left &= left - 1) {
    dpor->parent[__builtin_ctzll(left)] = NO_PARENT;
  }
  return used == UINT64_MAX ? INTERLOCK_DPOR_THREADS : (uint32_t)__builtin_ctzll(~used);
}

// Returns the identity of a thread, or INTERLOCK_DPOR_THREADS if there is no room.
static uint32_t identity_of(interlock_dpor *dpor, uint8_t parent, uint16_t ordinal,
                            uint32_t engine_threads) {
  uint32_t identity = INTERLOCK_DPOR_THREADS;
  for (uint32_t i = 0; i < dpor->identities; i++) {
    if (dpor->parent[i] == parent && dpor->ordinal[i] == ordinal) return i;
    if (dpor->parent[i] == NO_PARENT) identity = i;
  }
  if (identity == INTERLOCK_DPOR_THREADS) {
    identity = dpor->identities < INTERLOCK_DPOR_THREADS ? dpor->identities++
                                                         : free_identities(dpor, engine_threads);
  }
  if (identity == INTERLOCK_DPOR_THREADS) return identity;
  dpor->parent[identity] = parent;
  dpor->ordinal[identity] = ordinal;
  return identity;
}

// Notes threads that ended without a step of their own: the last step withdrew their operations.
static void note_withdrawn(interlock_dpor *dpor, const interlock_exploration_state *state) {
  uint32_t last = dpor->depth ? dpor->frames[dpor->depth - 1].thread : UINT32_MAX;
  for (uint32_t number = 0; number < state->threads; number++) {
    uint32_t thread = dpor->identity[number];
    interlock_operation *awaited = &dpor->awaited[thread];
    if (!state->pending[number].kind && awaited->kind && thread != last) {
      dpor->withdrawn[dpor->withdrawn_count].operation = *awaited;
      dpor->withdrawn[dpor->withdrawn_count].thread = thread;
      dpor->withdrawn[dpor->withdrawn_count++].step = dpor->depth - 1;
    }
    *awaited = state->pending[number];
  }
}

bool interlock_dpor_note_threads(interlock_dpor *dpor, const interlock_exploration_state *state) {
  int32_t maker = (int32_t)dpor->depth - 1;
  for (uint32_t number = dpor->engine_threads; number < state->threads; number++) {
    uint8_t parent = maker < 0 ? INTERLOCK_DPOR_THREADS : (uint8_t)dpor->frames[maker].thread;
    uint32_t identity = number < INTERLOCK_DPOR_THREADS
                            ? identity_of(dpor, parent, dpor->made[parent]++, number)
                            : INTERLOCK_DPOR_THREADS;
    if (identity == INTERLOCK_DPOR_THREADS) {
      interlock_dpor_abandon(dpor, "more than 64 threads at a time");
      return false;
    }
    dpor->identity[number] = (uint8_t)identity;
    dpor->engine_number[identity] = (uint8_t)number;
    dpor->steps_taken[identity] = 0;
    dpor->last_step[identity] = maker;
    dpor->awaited[identity] = (interlock_operation){0};
  }
  dpor->engine_threads = state->threads;
  note_withdrawn(dpor, state);
  return true;
}
