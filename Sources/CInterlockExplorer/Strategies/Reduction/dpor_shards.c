// Optimal DPOR in several shards, or in several jobs.
//
// The first frames, the top, have a branch for each thread that is enabled and awake, and so need
// no race to add one: each shard builds the same top without running the executions below. A path
// through the top belongs to one shard, by its hash. Below the top, the sleep set excludes the
// executions that other paths cover, whichever shard runs them.
//
// Jobs run at the same time and share a table of the paths. A job that comes to a path takes it
// unless another job has it. So no job waits for a job that got longer parts.
//
// Source of the sleep sets that make this complete: Godefroid, "Partial-Order Methods for the
// Verification of Concurrent Systems", LNCS 1032, 1996, chapter 5.

#include "dpor.h"

#include <stdlib.h>

// The paths for each shard, enough that the shares are nearly equal. An upper bound: the sleep set
// leaves one of several orders of independent operations.
enum { PATHS_OF_A_SHARD = 64 };

// The paths for jobs, enough that the last jobs end at about the same time. The number does not
// depend on the number of jobs, so that the jobs come to the same paths in the same order, and the
// first failure is the same.
enum { PATHS_OF_JOBS = 512 };

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

// Hashes the engine's numbers of threads, which follow from the path alone. Identities do not: a
// shard assigns them in the order in which it meets the threads.
static uint64_t path_behind(const interlock_dpor_frame *frame) {
  uint64_t path = mix(frame->path, frame->engine_thread + 1);
  for (unsigned i = 0; i < frame->picks.count; i++) path = mix(path, frame->picks.values[i] + 1);
  return path;
}

static bool is_of_shard(interlock_dpor *dpor, uint64_t path) {
  const interlock_dpor_options *options = &dpor->options;
  if (options->shards > 1 && path % options->shards != options->shard) return false;
  if (!dpor->jobs) return true;
  if (dpor->parts == 0 || path != dpor->part_path) {
    dpor->part_path = path;
    bool is_left_out = false;
    dpor->part =
        interlock_job_come_to(dpor->jobs, dpor->job, path, ++dpor->parts, &is_left_out);
    if (is_left_out && !dpor->statistics.incomplete) {
      dpor->statistics.incomplete = "a part of the orders was left out";
    }
  }
  return dpor->part;
}

static uint32_t paths_through_top(const interlock_dpor *dpor) {
  const uint32_t of_shards = PATHS_OF_A_SHARD * dpor->options.shards;
  return dpor->jobs && of_shards < PATHS_OF_JOBS ? PATHS_OF_JOBS : of_shards;
}

static uint64_t mix_step(uint64_t hash, const interlock_dpor_frame *frame) {
  hash = mix(hash, frame->thread + 1);
  for (unsigned i = 0; i < frame->picks.count; i++) hash = mix(hash, frame->picks.values[i] + 1);
  return hash;
}

// Within one execution an object has one number, so it is known whether two steps use the same
// object. Across executions, an object that both steps use for the first time is not known to be
// the same: a thread would wake needlessly, and each order below would run again.
void interlock_dpor_note_walks(interlock_dpor *dpor) {
  const interlock_dpor_frame *last = &dpor->frames[dpor->depth];
  uint64_t path = mix_step(0, last);
  for (uint32_t i = dpor->depth; i-- > 0;) {
    const interlock_dpor_frame *earlier = &dpor->frames[i];
    interlock_dpor_explored *explored = earlier->explored;
    if (explored->walk_count == explored->walk_room) {
      uint32_t room = explored->walk_room ? 2 * explored->walk_room : 8;
      interlock_dpor_walk *larger = realloc(explored->walks, room * sizeof *larger);
      // Without this note, the records decide whether the thread wakes.
      if (!larger) return;
      explored->walks = larger;
      explored->walk_room = room;
    }
    explored->walks[explored->walk_count++] = (interlock_dpor_walk){
        .path = path, .depends = interlock_steps_depend(earlier->record, last->record)};
    path = mix_step(path, earlier);
  }
}

bool interlock_dpor_wakes(const interlock_dpor *dpor, const interlock_dpor_explored *explored) {
  const interlock_dpor_frame *last = &dpor->frames[dpor->depth - 1];
  const interlock_step_record *record = explored->record;
  if (!interlock_steps_may_depend(record, last->record, record->known_objects)) return false;
  if (!last->is_top || explored->has_picks) return true;
  uint64_t path = 0;
  for (uint32_t i = dpor->depth; i-- > explored->at;) path = mix_step(path, &dpor->frames[i]);
  for (uint32_t i = 0; i < explored->walk_count; i++) {
    if (explored->walks[i].path == path) return explored->walks[i].depends;
  }
  return true;
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
  if (spread >= paths_through_top(dpor)) return is_of_shard(dpor, frame->path);
  uint32_t awake = (uint32_t)__builtin_popcountll(frame->enabled & ~frame->asleep);
  frame->is_top = true;
  frame->spread = spread * (awake ? awake : 1);
  return add_branches(dpor, frame, state);
}

bool interlock_dpor_is_own(interlock_dpor *dpor) {
  if (!interlock_dpor_is_sharded(dpor) || dpor->depth == 0) return true;
  const interlock_dpor_frame *last = &dpor->frames[dpor->depth - 1];
  // Each shard runs an execution that ends within the top, but only one counts it.
  return !last->is_top || is_of_shard(dpor, path_behind(last));
}

void interlock_dpor_share(interlock_strategy *strategy, interlock_jobs *jobs, uint32_t job) {
  interlock_dpor *dpor = (interlock_dpor *)strategy;
  dpor->jobs = jobs;
  dpor->job = job;
}
