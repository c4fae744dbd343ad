/// The state of optimal DPOR: a stack with a frame for each step of the current execution. Included
/// by `Strategies/` only.
#ifndef INTERLOCK_DPOR_H
#define INTERLOCK_DPOR_H

#include "../../Dependency/enabledness.h"
#include "interlock_strategies.h"
#include "../jobs.h"
#include "wakeup_nodes.h"

enum { INTERLOCK_DPOR_THREADS = 64, INTERLOCK_DPOR_STEPS = 4096 };

/// For each thread, the number of its steps that happen before.
typedef uint16_t interlock_dpor_clock[INTERLOCK_DPOR_THREADS];

/// The picks of a step that has been explored; for each pick, the number of values, and a bit for
/// each value that is to be explored.
typedef struct interlock_dpor_variant {
  interlock_picks picks;
  uint8_t counts[INTERLOCK_MAX_PICKS];
  uint64_t useful[INTERLOCK_MAX_PICKS];
  struct interlock_dpor_variant *next;
} interlock_dpor_variant;

/// The steps taken at the top after a given step, by their hash; and whether the last of them
/// depends on that step.
typedef struct {
  uint64_t path;
  bool depends;
} interlock_dpor_walk;

/// The result of all executions that begin with a step. Reference-counted.
typedef struct {
  uint32_t references;
  /// The operations of the step, over all its picks.
  interlock_step_record *record;
  /// The later steps that were found to depend on the step, by thread and count. Two of them may
  /// share a bit.
  uint64_t dependents[16];
  /// With several shards, for a step at the top: the index of its frame, whether it picks values,
  /// and the steps that were taken after it.
  uint32_t at;
  bool has_picks;
  interlock_dpor_walk *walks;
  uint32_t walk_count, walk_room;
} interlock_dpor_explored;

static inline uint32_t interlock_dpor_dependent_bit(uint32_t thread, uint32_t own) {
  return (thread * 64 + own) % (16 * 64);
}

/// A state of the current execution, and the step taken from it. `thread` is an identity, which
/// does not depend on the order in which threads are created.
typedef struct {
  uint32_t thread;
  /// The engine's number of the thread, and the engine's number of threads before the step.
  uint32_t engine_thread, engine_threads;
  /// The number of the thread's steps, this step included.
  uint16_t own;
  /// The thread's last step before this one, or the step that made it; -1 for none.
  int32_t previous;
  interlock_dpor_clock clock;
  interlock_step_record *record;
  /// The step's first operation alone, which is known before the step runs.
  interlock_step_record *pending;
  interlock_picks picks;
  uint8_t pick_counts[INTERLOCK_MAX_PICKS];
  uint64_t pick_useful[INTERLOCK_MAX_PICKS];

  uint64_t enabled;
  /// The threads in the sleep set, and the step of each.
  uint64_t asleep;
  interlock_dpor_explored *sleeping[INTERLOCK_DPOR_THREADS];
  interlock_known_objects known_objects;
  /// The wake-up tree of the state. Its first child is the step that is being explored.
  interlock_wakeup_node *children;
  /// For the first child's thread: the explored variants of its step, and the result of them all.
  interlock_dpor_variant *variants;
  interlock_dpor_explored *explored;

  /// With several shards: true if each enabled thread has a branch here; the number of paths
  /// through frames like this one; a hash of the steps before.
  bool is_top;
  uint32_t spread;
  uint64_t path;
} interlock_dpor_frame;

typedef struct {
  interlock_strategy strategy;
  interlock_dpor_options options;
  interlock_dpor_statistics statistics;
  interlock_step_memory memory;

  /// With several jobs: the shared table; this job's number; the number of parts that this job has
  /// come to; the path of the last part; and that part if this job has it.
  interlock_jobs *jobs;
  uint32_t job;
  uint64_t parts, part_path;
  interlock_job_part *part;

  interlock_dpor_frame *frames;
  uint32_t capacity;
  /// The number of steps of the current execution so far; of steps that repeat the last execution;
  /// and of frames that hold a state. After the repeated steps, the next frame takes its next
  /// branch.
  uint32_t depth, repeated, open;
  uint32_t pick_index;
  bool started, finished;

  /// Identities of threads: the identity of the parent, and the thread's number among the parent's
  /// threads.
  uint32_t identities;
  uint8_t parent[INTERLOCK_DPOR_THREADS];
  uint16_t ordinal[INTERLOCK_DPOR_THREADS];
  /// For the current execution: identities by the engine's number, then data by identity.
  uint32_t engine_threads;
  uint8_t identity[INTERLOCK_DPOR_THREADS];
  uint8_t engine_number[INTERLOCK_DPOR_THREADS];
  uint16_t made[INTERLOCK_DPOR_THREADS + 1];
  uint16_t steps_taken[INTERLOCK_DPOR_THREADS];
  int32_t last_step[INTERLOCK_DPOR_THREADS];

  /// The operation that each thread was about to perform when it was last seen, by identity.
  interlock_operation awaited[INTERLOCK_DPOR_THREADS];
  /// Threads that ended with a pending operation: timers that another thread disarmed in its
  /// `step`.
  struct {
    interlock_operation operation;
    uint32_t thread, step;
  } withdrawn[INTERLOCK_DPOR_THREADS];
  uint32_t withdrawn_count;

  /// Buffers for the races of one execution.
  interlock_sequence_step *sequence;
  /// The indexes of the steps in `sequence`.
  uint32_t *sequence_steps;
  interlock_step *steps;
  uint32_t *chosen;
  bool has_steps;
} interlock_dpor;

/// Ends the exploration, which then does not claim completeness.
static inline void interlock_dpor_abandon(interlock_dpor *dpor, const char *reason) {
  if (!dpor->statistics.incomplete) dpor->statistics.incomplete = reason;
  dpor->finished = true;
}

/// Finds the races of the execution that has just ended and adds their reversals to the wake-up
/// trees. `last` is its last state.
void interlock_dpor_reverse_races(interlock_dpor *dpor, const interlock_exploration_state *last);

/// Adds a sequence that could run from the state before step `at` to that state's wake-up tree,
/// unless a thread that is asleep there, or a branch of the tree, covers the sequence. Changes the
/// sequence.
void interlock_dpor_insert(interlock_dpor *dpor, uint32_t at, interlock_sequence_step *sequence,
                           uint32_t count, interlock_known_objects known_objects);

/// Settles the sequences that were deferred at `node`: adds each to the branches after the node,
/// unless the step that `record` describes covers it. `record` is NULL if that step could not run.
void interlock_dpor_settle(interlock_dpor *dpor, interlock_wakeup_node *node,
                           const interlock_step_record *record);

/// Goes to the next execution. Returns false if none is left.
bool interlock_dpor_backtrack(interlock_dpor *dpor);

/// Opens the frame of a new state. Its sleep set and its wake-up tree follow from the state before.
/// Returns false if there is no room.
bool interlock_dpor_open_frame(interlock_dpor *dpor, const interlock_exploration_state *state,
                               uint64_t enabled);

static inline bool interlock_dpor_is_sharded(const interlock_dpor *dpor) {
  return dpor->options.shards > 1 || dpor->jobs;
}

/// If the frame belongs to the top, gives it a branch for each thread. Returns false if what
/// follows belongs to another shard, or repeats a known execution.
bool interlock_dpor_open_in_shard(interlock_dpor *dpor, interlock_dpor_frame *frame,
                                  const interlock_exploration_state *state);

/// Notes for each earlier step of the top whether the last step, which is at the top as well,
/// depends on it.
void interlock_dpor_note_walks(interlock_dpor *dpor);

/// True if the last step depends on a step that is asleep. At the top, this is known from an
/// execution in which the last step came after the other; elsewhere the records decide.
bool interlock_dpor_wakes(const interlock_dpor *dpor, const interlock_dpor_explored *explored);

/// True if the execution that has just ended belongs to this shard and to this job. Always true if
/// there is only one.
bool interlock_dpor_is_own(interlock_dpor *dpor);

/// Empties the sleep set.
void interlock_dpor_wake_all(interlock_dpor_frame *frame);

void interlock_dpor_explored_release(interlock_dpor_explored *explored);

/// Releases everything that the frame holds.
void interlock_dpor_clear_frame(interlock_dpor_frame *frame);

/// Gives identities to the threads made since the last call, and notes threads that were withdrawn.
/// Returns false if there are too many threads.
bool interlock_dpor_note_threads(interlock_dpor *dpor, const interlock_exploration_state *state);

#endif
