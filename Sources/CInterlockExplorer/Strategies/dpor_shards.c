// Optimal DPOR: one of several shards of the orders.
//
// The first frames, the top, have a branch for each thread that is enabled and awake, and so need
// no race to add one: each shard comes to the same top without running what is behind it. A path
// through the top belongs to one shard, by its hash. Behind it, the sleep set excludes what other
// paths cover, whichever shard runs them.
//
// Source of the sleep sets that make this complete: Godefroid, "Partial-Order Methods for the
// Verification of Concurrent Systems", LNCS 1032, 1996, chapter 5.

#include "dpor.h"

// Enough paths for a shard that its share is not a matter of chance. The count is an upper bound:
// of several orders of independent operations, the sleep set leaves one.
enum { PATHS_OF_A_SHARD = 64 };

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

// The engine's numbers of threads follow from the path alone, unlike identities, which are given in
// the order in which a shard comes across the threads.
static uint64_t path_behind(const interlock_dpor_frame *frame) {
  uint64_t path = mix(frame->path, frame->engine_thread + 1);
  for (unsigned i = 0; i < frame->picks.count; i++) path = mix(path, frame->picks.values[i] + 1);
  return path;
}

static bool is_of_shard(const interlock_dpor *dpor, uint64_t path) {
  return path % dpor->options.shards == dpor->options.shard;
}

static bool add_branches(interlock_dpor *dpor, interlock_dpor_frame *frame,
                         const interlock_exploration_state *state) {
  for (uint32_t i = 0; i < state->enabled_count; i++) {
    uint32_t thread = dpor->identity[state->enabled[i]];
    if (frame->asleep >> thread & 1) continue;
    interlock_wakeup_node *node =
        interlock_wakeup_node_create(&dpor->memory, thread, (interlock_picks){0}, NULL);
    if (!node) {
      interlock_dpor_abandon(dpor, "no memory");
      return false;
    }
    interlock_wakeup_node_append(&frame->children, node);
  }
  return frame->children;
}

bool interlock_dpor_open_in_shard(interlock_dpor *dpor, interlock_dpor_frame *frame,
                                  const interlock_exploration_state *state) {
  const interlock_dpor_frame *before = dpor->depth > 0 ? frame - 1 : NULL;
  if (before && !before->is_top) return true;
  frame->path = before ? path_behind(before) : 0;
  uint32_t spread = before ? before->spread : 1;
  if (spread >= PATHS_OF_A_SHARD * dpor->options.shards) return is_of_shard(dpor, frame->path);
  uint32_t awake = (uint32_t)__builtin_popcountll(frame->enabled & ~frame->asleep);
  frame->is_top = true;
  frame->spread = spread * (awake ? awake : 1);
  return add_branches(dpor, frame, state);
}

bool interlock_dpor_is_own(const interlock_dpor *dpor) {
  if (!interlock_dpor_is_sharded(dpor) || dpor->depth == 0) return true;
  const interlock_dpor_frame *last = &dpor->frames[dpor->depth - 1];
  // Each shard runs an execution that ends at the top.
  return !last->is_top || is_of_shard(dpor, path_behind(last));
}
