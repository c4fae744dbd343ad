// The state of an exploration, shared by the engine's files. Included by the explorer's files only.
#ifndef INTERLOCK_ENGINE_H
#define INTERLOCK_ENGINE_H

#include "../Threads/stacks.h"
#include "../control.h"

#ifdef INTERLOCK_INTERPOSES

#include <signal.h>

/// A list that grows and keeps its memory between executions.
#define INTERLOCK_LIST(type) \
  struct {                   \
    type *items;             \
    size_t count, room;      \
  }

/// Makes room for one more element. Without memory, prints one line that says so and ends the
/// process.
#define INTERLOCK_PUSH(list, item)                                                               \
  do {                                                                                           \
    if (__builtin_expect((list)->count == (list)->room, 0)) {                                    \
      (list)->items = interlock_grow((list)->items, &(list)->room, sizeof *(list)->items);       \
    }                                                                                            \
    (list)->items[(list)->count++] = (item);                                                     \
  } while (0)

void *interlock_grow(void *items, size_t *room, size_t size) HIDDEN;

/// Each thread and timer that has not ended, in ascending order.
#define INTERLOCK_EACH_LIVE(thread)                                                        \
  for (interlock_logical_thread *thread = interlock_the_engine.first_live; thread != NULL; \
       thread = thread->next_live)

enum { INTERLOCK_ESCAPED_MOST = 8, INTERLOCK_NAMED_MOST = 64 };

/// While fewer threads than this are looked at before each choice, any thread that changes is added
/// to them.
#ifndef INTERLOCK_FEW_THREADS
#define INTERLOCK_FEW_THREADS 16
#endif

/// The memory that a result points to, besides the lists.
typedef struct {
  char place[160];
  char text[2048];
  interlock_named_object named[INTERLOCK_NAMED_MOST];
  /// A table of stacks, found by their contents; an empty entry has no frame.
  interlock_user_frames stacks[INTERLOCK_STACKS_MOST];
  interlock_escaped_operation escaped[INTERLOCK_ESCAPED_MOST];
} interlock_result_details;

/// A step of an execution that no strategy chooses.
typedef struct {
  interlock_operation_kind kind;
  uintptr_t place;
} interlock_warm_step;

/// An execution that no strategy chooses.
typedef struct {
  INTERLOCK_LIST(interlock_warm_step) steps;
  interlock_explored_verdict verdict;
} interlock_warm_execution;

/// The questions of the engine to the models of calls, tasks and Dispatch. The models call the
/// engine, so these are the only calls in the other direction.
typedef struct {
  /// True if a blocked thread waits for a mutex that no explored thread holds.
  bool (*waits_for_outside)(void);
  /// True if a task of the execution can go on only outside it.
  bool (*tasks_left)(void);
  /// See `interlock_model_dry_pool`.
  uint32_t (*dry_pool)(const char **label);
  /// True if the thread runs a part of a task, on the pool of tasks.
  bool (*is_on_task_pool)(const interlock_logical_thread *thread);
  /// The function of the threads that run blocks and jobs.
  void *(*run_items)(void *item);
} interlock_engine_models;

typedef struct {
  interlock_exploration_options options;
  const interlock_engine_models *models;
  interlock_strategy *strategy;
  interlock_exploration_result *result;
  /// In the child of an isolated exploration, shared memory; NULL for the engine's own memory.
  interlock_result_details *details;
  bool (*body)(void *);
  void *body_context;

  /// The number of this execution in the process. State kept by address belongs to one execution.
  uint64_t execution;
  interlock_stack controller;
  interlock_logical_thread *current;
  /// All threads and timers of the execution by number; their pending operations; and the first and
  /// the last of those that have not ended, in ascending order.
  INTERLOCK_LIST(interlock_logical_thread *) threads;
  INTERLOCK_LIST(interlock_operation) pending;
  interlock_logical_thread *first_live, *last_live;
  uint32_t live_count;
  /// The threads that can take the next step, in ascending order; only enabled.c changes the list.
  /// `items` point into `memory`, which has `room` elements: both ends of the list can move.
  struct {
    uint32_t *items, *memory;
    size_t count, room;
  } enabled;
  /// The threads that have reached a point, ended, or been announced since the last choice; and the
  /// threads looked at before each choice, which include every thread whose enabledness can change
  /// without any of these.
  INTERLOCK_LIST(interlock_logical_thread *) changed, looked_at;
  /// The operations of the running step.
  INTERLOCK_LIST(interlock_operation) performed;
  int32_t stepping;
  /// The index in `performed` of the last operation that was asked for.
  size_t asked;
  INTERLOCK_LIST(interlock_exploration_step) trace;
  INTERLOCK_LIST(uint32_t) choices;
  /// The last execution that no strategy chose.
  interlock_warm_execution warm;
  uint64_t hash;
  uint32_t next_object, next_library_object;
  uint64_t now;
  /// The number of timers that have not ended, and of threads that sleep.
  uint32_t waiting_for_time;
  /// The number of threads that may continue without being ready.
  uint32_t may_go_on;

  /// When the execution began, in nanoseconds of real time, and its steps.
  uint64_t begun;
  uint64_t steps, switches, choice_count;
  /// How often the engine has looked whether a thread can take the next step.
  uint64_t looks;
  /// The choices of the last execution, which this one repeats without the strategy.
  INTERLOCK_LIST(uint32_t) repeated;
  size_t next_repeated;
  bool is_repeating;
  /// True if a global variable was initialised in this execution, so that the next one has less to
  /// do.
  bool has_initialised;
  /// True in the child of a fork that the body made.
  bool is_forked;
  /// The number of choices and steps of the running execution, shown to the process that watches;
  /// NULL if there is none. The lists lie in shared memory then, and cannot grow.
  volatile size_t *shown_choices, *shown_steps;
  /// Shown to the same process: true while a thread reads symbols, so that this time does not count
  /// as the body's.
  volatile bool *shown_naming;
  /// One of several jobs notes the hashes of its executions here, for the estimate of all jobs;
  /// NULL for none.
  uint64_t *noted_traces;
  size_t *noted_trace_count;
  /// True in the child of an isolated exploration: the fork has copied no other thread of the
  /// parent.
  bool is_child;
  /// An eventfd of the parent that counts the executions that the child begins, where the body
  /// cannot write; -1 for none.
  int counter;
  /// Set by a child that needs a lock which another thread of the parent held at the fork; NULL if
  /// the parent will not fork again.
  volatile bool *must_fork_again;
  /// The thread that a signal interrupted and that will not continue.
  interlock_logical_thread *torn;
  bool is_warming_up, body_has_ended, is_cut, is_limited, has_escaped;
  /// Milliseconds for which the running execution has waited for events that are not controlled.
  uint32_t waits_outside;
  interlock_explored_verdict verdict;
  int signal;
  uint32_t failed_thread;
  char place[sizeof((interlock_result_details *)0)->place];
  char text[sizeof((interlock_result_details *)0)->text];
  INTERLOCK_LIST(interlock_blocked_thread) blocked;
  uint32_t dry_pool_width;
} interlock_engine;

extern interlock_engine interlock_the_engine HIDDEN;

/// Adds a name to those of the result, once and if there is room (failures.c).
void interlock_result_add_escaped(interlock_exploration_result *result,
                                  interlock_escaped_operation *names, const char *name) HIDDEN;
/// Lets the result point to the details.
void interlock_result_show(interlock_exploration_result *result,
                           const interlock_result_details *details) HIDDEN;

/// Orders the calling thread after everything that other threads have done so far.
void interlock_engine_come_after_all(void) HIDDEN;
/// Runs one execution; true if it passed.
bool interlock_engine_execute(void) HIDDEN;
/// Leaves the running execution for the controller, which ends it.
_Noreturn void interlock_engine_leave(void) HIDDEN;
/// Switches to the thread that the strategy chooses; returns when the strategy chooses `self`
/// again. If `self` has ended, the function does not return, except with OS threads.
void interlock_engine_go(interlock_logical_thread *self) HIDDEN;
/// Returns the state that a strategy gets after a step of the thread `last`.
interlock_exploration_state interlock_engine_state(int32_t last) HIDDEN;
/// Makes a thread or a timer with a number; the caller adds the stack.
interlock_logical_thread *interlock_engine_add(interlock_operation first, uintptr_t place) HIDDEN;
void interlock_engine_remove(interlock_logical_thread *thread) HIDDEN;
/// Gives a thread a stack for its first step, unless the thread has one. Returns false if the
/// execution cannot continue (thread_stacks.c).
bool interlock_thread_gets_stack(interlock_logical_thread *thread) HIDDEN;
/// Lists the threads and timers that can take the next step (enabled.c). The cost does not depend
/// on the number of threads that cannot have changed since the last call.
void interlock_engine_find_enabled(void) HIDDEN;
/// Empties the lists, for a new execution (enabled.c).
void interlock_engine_reset_enabled(void) HIDDEN;
/// Look at the thread before the next choice, or at all threads (enabled.c).
static inline void interlock_engine_look_at(interlock_logical_thread *thread) {
  bool is_looked_at = thread->looked_at && thread->is_live &&
                      interlock_the_engine.looked_at.count <= INTERLOCK_FEW_THREADS;
  if (is_looked_at || thread->is_changed) return;
  thread->is_changed = true;
  INTERLOCK_PUSH(&interlock_the_engine.changed, thread);
}
void interlock_engine_look_at_all(void) HIDDEN;
/// Looks at a new thread before the next choice (enabled.c).
void interlock_engine_look_at_new(interlock_logical_thread *thread) HIDDEN;
/// Returns the index in the list of the first enabled thread whose number is at least `number`
/// (enabled.c).
size_t interlock_engine_first_enabled_from(uint32_t number) HIDDEN;
/// True if the number is that of an enabled thread (enabled.c).
bool interlock_engine_is_enabled(int32_t number) HIDDEN;
/// Adds the threads that yielded; for a state in which no other thread is enabled.
void interlock_engine_list_yielded(void) HIDDEN;
/// Adds the waits for a time that comes when no thread can continue.
void interlock_engine_list_last(void) HIDDEN;
/// True if another thread has taken a step since this thread yielded.
bool interlock_engine_may_go_on_again(interlock_logical_thread *thread, void *context) HIDDEN;
/// True if the thread can perform its pending operation, or its time is up.
static inline bool interlock_engine_can_go_on(interlock_logical_thread *thread) {
  return !thread->is_ready || thread->timed_out || thread->is_ready(thread, thread->context);
}
/// True if a thread that waits for a time, or has yielded, may continue, given its number of such
/// waits in a row; and true if the steps of other threads may change that (time.c).
bool interlock_time_may_pass(interlock_logical_thread *thread) HIDDEN;
bool interlock_time_may_be_held(const interlock_logical_thread *thread) HIDDEN;
/// True if the thread waits for a time that may come at any point of the body, whatever the other
/// threads do (time.c).
bool interlock_time_is_free(const interlock_logical_thread *thread) HIDDEN;
/// Counts one more wait, in a new row if all other threads have taken a step (time.c).
void interlock_time_count_wait(interlock_logical_thread *thread) HIDDEN;
/// Records that a thread or a timer begins to wait for a time, and returns the operation that ends
/// the wait (timers.c).
void interlock_time_wait_begins(interlock_logical_thread *thread, uint64_t due) HIDDEN;
interlock_operation interlock_time_up(uint32_t object) HIDDEN;
void interlock_engine_deadlock(void) HIDDEN;

/// Add to the choices and to the trace, and to the counts that another process watches.
void interlock_engine_note_choice(uint32_t choice) HIDDEN;
void interlock_engine_note_step(const interlock_exploration_step *step) HIDDEN;
/// Returns the thread's pending operation as a step (failures.c).
interlock_exploration_step interlock_engine_step_of(const interlock_logical_thread *thread) HIDDEN;

/// Returns the number of locks that the running step has taken, minus those that it has released
/// (steps.c).
int32_t interlock_locks_taken(void) HIDDEN;

/// Run the executions that no strategy chooses, before the first and after the last that a strategy
/// does. A difference becomes the fact that the body keeps state (determinism.c).
void interlock_engine_warm_up(void) HIDDEN;
void interlock_engine_cool_down(void) HIDDEN;
/// Notes the step that the thread takes in such an execution. The numbers of the thread and the
/// object are not compared, because an initialiser may have made some before.
static inline void interlock_note_warm_step(const interlock_logical_thread *thread) {
  // Leave out steps of initialisers, on libraries' objects and of unknown kind: globals and the
  // libraries' lazy state are initialised in the first execution only, and a thread may wait for
  // that.
  if (thread->initialisers || thread->pending.object >= INTERLOCK_FIRST_LIBRARY_OBJECT ||
      thread->pending.kind == INTERLOCK_OPERATION_UNKNOWN) {
    return;
  }
  const interlock_warm_step step = {thread->pending.kind, thread->place};
  INTERLOCK_PUSH(&interlock_the_engine.warm.steps, step);
}
/// Runs the last execution again with the same choices. If the traces differ, returns false and
/// records a failure (determinism.c).
bool interlock_engine_repeat(void) HIDDEN;
/// Writes to the result and to `text` how two traces of the same choices differ (determinism.c).
void interlock_describe_difference(const interlock_exploration_step *first, size_t first_count,
                                   const interlock_exploration_step *second, size_t second_count,
                                   interlock_exploration_result *result, char *text,
                                   size_t size) HIDDEN;

void interlock_objects_reset(void) HIDDEN;
/// Forgets the memory that the last execution accessed (accesses.c).
void interlock_accesses_reset(void) HIDDEN;
/// The check of memory calls this before it names a race of an explored thread, and after
/// (accesses.c).
void interlock_explored_names_race(bool begins);
/// Returns 1 + the number of the calling thread in schedules; 0 if it is not explored (accesses.c).
uint32_t interlock_explored_thread_number(void);
/// Writes the names and call sites of the last execution's objects to the result (objects.c).
void interlock_objects_describe(interlock_exploration_result *result,
                                interlock_result_details *details) HIDDEN;
/// The hash of an execution for an estimate: begin a hash, add a step, read the hash (traces.c).
void interlock_trace_begin(void) HIDDEN;
void interlock_trace_add(uint32_t thread, const interlock_operation *operations,
                         size_t count) HIDDEN;
uint64_t interlock_trace_hash(void) HIDDEN;
void interlock_memory_reset(void) HIDDEN;
void interlock_run_begin_functions(void) HIDDEN;
/// How long an exploration waits for a lock that a thread outside holds, in nanoseconds.
#define INTERLOCK_OUTSIDE_LONGEST UINT64_C(2000000000)
/// Forgets the locks that an earlier exploration waited for in vain (outside.c).
void interlock_outside_reset(void) HIDDEN;
/// True if a blocked thread waits for a mutex that no explored thread holds (mutexes.c).
bool interlock_waits_for_outside(void) HIDDEN;

/// Signals and the limit of real time (interruptions.c).
void interlock_interruptions_begin(void) HIDDEN;
void interlock_interruptions_end(void) HIDDEN;
/// True if a copy of the process can allocate memory (heap_check.c).
bool interlock_heap_is_usable(void) HIDDEN;
/// Notes which descriptors are open, before the first execution (process_calls.c).
void interlock_descriptors_note(void) HIDDEN;
/// Returns the address that called the function in which `place` lies; 0 if it is not known
/// (steps.c).
uintptr_t interlock_caller_of(uintptr_t place) HIDDEN;
/// Keeps the user's part of this stack, from `place` on, or all of it if `place` is 0. Returns 1 +
/// its index in the result; 0 if it is not known (call_stacks.c).
uint32_t interlock_call_stack(uintptr_t place) HIDDEN;
/// Nanoseconds of the real monotonic clock.
uint64_t interlock_real_now(void) HIDDEN;
/// Notes that an execution begins or ends, for the signal handlers (interruptions.c).
void interlock_interruptions_note_execution(bool runs) HIDDEN;

#endif
#endif
