/// A small interpreter of concurrent programs. It replaces the engine for a strategy, and its state
/// is a value that can be copied and compared.
#ifndef STRATEGY_TESTS_MODEL_H
#define STRATEGY_TESTS_MODEL_H

#include "interlock_exploration.h"

enum {
  MODEL_SLOTS = 8,
  MODEL_OPERATIONS = 24,
  MODEL_OBJECTS = 4,
  MODEL_QUEUED = 12,
  MODEL_STEP_OPERATIONS = 40,
  MODEL_MAX_STEPS = 160,
};

/// Flags of a program's line.
enum {
  /// The line is no point: it belongs to the step of the previous line.
  MODEL_SILENT = 1,
  /// Skips the line unless the thread's last result is odd, or unless it is even.
  MODEL_IF_ODD = 2,
  MODEL_IF_EVEN = 4,
  /// ENQUEUE: the thread itself runs the block, up to its FINISH. SEMAPHORE_WAIT: the timer in
  /// `argument` ends the wait.
  MODEL_SYNC = 8,
  MODEL_TIMED = 16,
  /// START: makes the slot in `argument` a thread. READ_CLOCK: arms the timer in `argument`.
  MODEL_MAKES = 32,
};

typedef struct {
  uint8_t kind, object, argument, flags;
} model_line;

typedef enum { MODEL_THREAD, MODEL_BLOCK, MODEL_TASK, MODEL_TIMER } model_role;

/// A thread, a block, a task or a timer. A line with kind 0 ends it.
typedef struct {
  uint8_t role;
  /// Alive from the beginning.
  bool is_root;
  /// Blocks: the queue, whether the block is a barrier, whether it can be cancelled. Timers that
  /// end a wait: `queue` is the semaphore.
  uint8_t queue;
  bool is_barrier, is_cancellable;
  /// Blocks and tasks: the group that they leave at their end, plus 1; 0 for none.
  uint8_t group;
  /// Timers: their duration, and the slot whose wait they end, plus 1; 0 for none.
  uint8_t delay, wakes;
  model_line lines[MODEL_OPERATIONS];
} model_slot;

typedef struct {
  model_slot slots[MODEL_SLOTS];
  uint8_t semaphores[MODEL_OBJECTS];
  /// The number of threads that a barrier waits for.
  uint8_t parties[MODEL_OBJECTS];
  bool is_concurrent[MODEL_OBJECTS];
  /// The pool of each queue, plus 1; and the width of each pool.
  uint8_t pool[MODEL_OBJECTS];
  uint8_t width[MODEL_OBJECTS];
  /// True if a thread may wake without a signal, once at each condition.
  bool wakes_without_signal;
} model_program;

typedef enum { MODEL_ABSENT, MODEL_LIVE, MODEL_ENDED } model_status;

typedef struct {
  uint8_t status, line;
  /// Second half: the thread acquires a condition's mutex again, or leaves a barrier.
  bool is_second_half, is_woken, is_timed_out, is_open, has_begun;
  uint8_t reads_lock[MODEL_OBJECTS], entered[MODEL_OBJECTS];
  uint8_t reads_section[MODEL_OBJECTS], writes_section[MODEL_OBJECTS];
  uint8_t syncs[MODEL_OBJECTS];
  /// A bit for each condition at which the thread has woken without a signal.
  uint8_t woken_without_signal;
  uint32_t last;
  /// A hash of all results of the thread's operations.
  uint64_t history;
} model_thread;

typedef struct {
  uint8_t slot;
  bool begun, finished, is_barrier;
} model_queued;

typedef struct {
  uint8_t count, suspensions;
  model_queued blocks[MODEL_QUEUED];
} model_queue;

typedef struct {
  model_thread threads[MODEL_SLOTS];
  uint8_t owner[MODEL_OBJECTS], readers[MODEL_OBJECTS];
  /// The waiters of each condition in order, as slot plus 1.
  uint8_t waiters[MODEL_OBJECTS][MODEL_SLOTS];
  uint8_t semaphores[MODEL_OBJECTS], arrived[MODEL_OBJECTS], members[MODEL_OBJECTS];
  uint8_t notifications[MODEL_OBJECTS][MODEL_SLOTS];
  model_queue queues[MODEL_OBJECTS];
  uint8_t free_workers[MODEL_OBJECTS];
  uint8_t item_cancelled, task_cancelled, task_complete, resumed, trapped;
  uint8_t due[MODEL_SLOTS];
  uint8_t now;
  uint32_t variables[MODEL_OBJECTS];
  /// The variable that the code between sync points accesses.
  uint32_t unseen;
} model_state;

/// The effects of a step.
typedef struct {
  size_t count;
  interlock_operation operations[MODEL_STEP_OPERATIONS];
  /// The slots that the step made, in order.
  uint8_t made_count, made[MODEL_SLOTS];
  /// The values that the step picked, as digits of a number in base 9.
  uint32_t picks;
} model_step;

typedef uint32_t model_picker(void *context, uint32_t count);

void model_begin(const model_program *program, model_state *state);

/// The next operation of the slot; its kind is 0 if the slot is not alive.
interlock_operation model_pending(const model_program *program, const model_state *state,
                                  unsigned slot);
bool model_is_enabled(const model_program *program, const model_state *state, unsigned slot);
void model_take_step(const model_program *program, model_state *state, unsigned slot,
                     model_picker *picker, void *context, model_step *step);

/// A hash of the whole state, including all results that threads have received.
uint64_t model_outcome(const model_state *state);

/// The number of an object for a strategy; never 0.
uint32_t model_object(uint16_t kind, unsigned index);

static inline uint64_t model_mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

#endif
