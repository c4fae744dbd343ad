/// The state of optimal DPOR: a stack with a frame for each step of the current execution.
#ifndef INTERLOCK_DPOR_H
#define INTERLOCK_DPOR_H

#include "../Dependency/enabledness.h"
#include "interlock_strategies.h"
#include "jobs.h"
#include "wakeup_tree.h"

enum { INTERLOCK_DPOR_THREADS = 64, INTERLOCK_DPOR_STEPS = 4096 };

/// How many steps of each thread happen before.
typedef uint16_t interlock_dpor_clock[INTERLOCK_DPOR_THREADS];

/// Picks of a step that has been explored, how many values there were for each, and which of them
/// are explored.
typedef struct interlock_dpor_variant {
  interlock_picks picks;
  uint8_t counts[INTERLOCK_MAX_PICKS];
  uint64_t useful[INTERLOCK_MAX_PICKS];
  struct interlock_dpor_variant *next;
} interlock_dpor_variant;

/// Steps that were taken at the top behind a step there, by their hash; true if the last of them
/// depends on it.
typedef struct {
  uint64_t path;
  bool depends;
} interlock_dpor_walk;

/// What is known of a step once every execution that begins with it has been run. Counted by its
/// references.
typedef struct {
  uint32_t references;
  /// What the step does, whatever it picks.
  interlock_step_record *record;
  /// The later steps that were found to depend on it, by thread and count; two may share a bit.
  uint64_t dependents[16];
  /// With several shards, of a step at the top: its frame, whether it picks values, and the steps
  /// that were taken behind it.
  uint32_t at;
  bool has_picks;
  interlock_dpor_walk *walks;
  uint32_t walk_count, walk_room;
} interlock_dpor_explored;

static inline uint32_t interlock_dpor_dependent_bit(uint32_t thread, uint32_t own) {
  return (thread * 64 + own) % (16 * 64);
}

/// A state of the current execution and the step that is taken from it. Threads have identities
/// that do not depend on the order of their creation; see `interlock_dpor_thread`.
typedef struct {
  uint32_t thread;
  /// The number that the engine gives the thread, and how many threads it had before the step.
  uint32_t engine_thread, engine_threads;
  /// The count of the thread's steps, this one included.
  uint16_t own;
  /// The thread's last step before this one, or the step that made it; -1 for none.
  int32_t previous;
  interlock_dpor_clock clock;
  interlock_step_record *record;
  /// Its first operation alone: what is known of the step before it runs.
  interlock_step_record *pending;
  interlock_picks picks;
  uint8_t pick_counts[INTERLOCK_MAX_PICKS];
  uint64_t pick_useful[INTERLOCK_MAX_PICKS];

  uint64_t enabled;
  /// The sleep set, and the step of each thread in it.
  uint64_t asleep;
  interlock_dpor_explored *sleeping[INTERLOCK_DPOR_THREADS];
  interlock_known_objects known_objects;
  /// The wake-up tree of the state: the first child is the step that is being explored.
  interlock_wakeup_node *children;
  /// The first child's thread: its variants that were explored, and what is known of them all.
  interlock_dpor_variant *variants;
  interlock_dpor_explored *explored;

  /// With several shards: true if each enabled thread has a branch here, the number of paths that
  /// lead through frames like this one, and a hash of the steps before.
  bool is_top;
  uint32_t spread;
  uint64_t path;
} interlock_dpor_frame;

typedef struct {
  interlock_strategy strategy;
  interlock_dpor_options options;
  interlock_dpor_statistics statistics;
  interlock_step_memory memory;

  /// With several jobs: what they share, the number of this one, how many parts it has come to, the
  /// path of the last one, and that part if the job has it.
  interlock_jobs *jobs;
  uint32_t job;
  uint64_t parts, part_path;
  interlock_job_part *part;

  interlock_dpor_frame *frames;
  uint32_t capacity;
  /// The steps of the current execution so far, how many of them repeat the previous one, and how
  /// many frames hold a state. Where `repeated` is less, the frame behind has its next branch.
  uint32_t depth, repeated, open;
  uint32_t pick_index;
  bool started, finished;

  /// Identities: a thread is the n-th one that its parent made.
  uint32_t identities;
  uint8_t parent[INTERLOCK_DPOR_THREADS];
  uint16_t ordinal[INTERLOCK_DPOR_THREADS];
  /// In this execution: by the engine's number, and by identity.
  uint32_t engine_threads;
  uint8_t identity[INTERLOCK_DPOR_THREADS];
  uint8_t engine_number[INTERLOCK_DPOR_THREADS];
  uint16_t made[INTERLOCK_DPOR_THREADS + 1];
  uint16_t steps_taken[INTERLOCK_DPOR_THREADS];
  int32_t last_step[INTERLOCK_DPOR_THREADS];

  /// What each thread was about to do when it was last seen, by identity.
  interlock_operation awaited[INTERLOCK_DPOR_THREADS];
  /// Threads that ended although they were about to do something: timers that another step
  /// disarmed. `step` did it.
  struct {
    interlock_operation operation;
    uint32_t thread, step;
  } withdrawn[INTERLOCK_DPOR_THREADS];
  uint32_t withdrawn_count;

  /// For the races of one execution.
  interlock_sequence_step *sequence;
  /// The steps of the execution that the sequence consists of.
  uint32_t *sequence_steps;
  interlock_step *steps;
  uint32_t *chosen;
  bool has_steps;
} interlock_dpor;

/// Ends the exploration without the claim of completeness.
static inline void interlock_dpor_abandon(interlock_dpor *dpor, const char *reason) {
  if (!dpor->statistics.incomplete) dpor->statistics.incomplete = reason;
  dpor->finished = true;
}

/// Finds the races of the execution that has just ended and adds their reversals to the wake-up
/// trees. `last` is its last state.
void interlock_dpor_reverse_races(interlock_dpor *dpor, const interlock_exploration_state *last);

/// Adds a sequence that could run from the state before step `at` to that state's wake-up tree
/// unless a thread that is asleep there, or a branch of the tree, covers it. Changes the sequence.
void interlock_dpor_insert(interlock_dpor *dpor, uint32_t at, interlock_sequence_step *sequence,
                           uint32_t count, interlock_known_objects known_objects);

/// Adds the sequences that waited for `node` to the branches behind it, unless the step that
/// `record` describes covers them; NULL if it could not run.
void interlock_dpor_settle(interlock_dpor *dpor, interlock_wakeup_node *node,
                           const interlock_step_record *record);

/// Goes to the next execution; false if none is left.
bool interlock_dpor_backtrack(interlock_dpor *dpor);

/// Opens the frame of a new state: what sleeps in it, and its wake-up tree, follow from the state
/// before. False if there is no room.
bool interlock_dpor_open_frame(interlock_dpor *dpor, const interlock_exploration_state *state,
                               uint64_t enabled);

static inline bool interlock_dpor_is_sharded(const interlock_dpor *dpor) {
  return dpor->options.shards > 1 || dpor->jobs;
}

/// Gives a new frame at the top a branch for each thread. False if what follows is another shard's,
/// or repeats a known execution.
bool interlock_dpor_open_in_shard(interlock_dpor *dpor, interlock_dpor_frame *frame,
                                  const interlock_exploration_state *state);

/// Notes for each earlier step of the top whether the last one, which is at the top too, depends on
/// it.
void interlock_dpor_note_walks(interlock_dpor *dpor);

/// Whether the last step depends on one that is asleep: at the top, as seen where it was taken
/// behind that one; else as the records may tell.
bool interlock_dpor_wakes(const interlock_dpor *dpor, const interlock_dpor_explored *explored);

/// Whether the execution that has just ended is this shard's, and this job's; always, where there
/// is only one.
bool interlock_dpor_is_own(interlock_dpor *dpor);

/// Empties the sleep set.
void interlock_dpor_wake_all(interlock_dpor_frame *frame);

void interlock_dpor_explored_release(interlock_dpor_explored *explored);

/// Gives up what the frame holds.
void interlock_dpor_clear_frame(interlock_dpor_frame *frame);

/// Gives the threads that have come since the last call their identities, and notes those that
/// went. False if there are too many.
bool interlock_dpor_note_threads(interlock_dpor *dpor, const interlock_exploration_state *state);

#endif
