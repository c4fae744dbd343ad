/// Runs a body once for each order that a strategy chooses. The Swift targets call these functions.
#ifndef INTERLOCK_EXPLORER_H
#define INTERLOCK_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interlock_exploration_result.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The reason why `interlock_explore` did not run.
typedef enum {
  INTERLOCK_EXPLORE_RAN = 0,
  /// Calls are not interposed here: see `interlock_events_available`.
  INTERLOCK_EXPLORE_NO_CALLS,
  /// The caller is itself explored.
  INTERLOCK_EXPLORE_NESTED,
  INTERLOCK_EXPLORE_NO_MEMORY,
  /// No child process could be made.
  INTERLOCK_EXPLORE_NO_CHILD,
} interlock_explore_status;

/// When a wait for a time ends: sleeps, delayed blocks, timers, limits of waits.
typedef enum {
  /// At any point: a time is a lower bound, and a thread may take any time for its next step, so a
  /// wait for a later time may also end first. The clock moves to the time, unless it shows a later
  /// one. Waits in a row are bounded: see `bounds_sleeps`.
  INTERLOCK_TIME_IS_LOWER_BOUND = 0,
  /// When no thread can continue, in the order of the times; of equal times, any first.
  INTERLOCK_TIME_IS_EXACT,
} interlock_exploration_time;

/// The stores that a load of an atomic may read.
typedef enum {
  /// The newest store.
  INTERLOCK_MEMORY_SEQUENTIAL = 0,
  /// Any store that the memory orders allow (RC11). Applies to instrumented code while its memory
  /// is checked.
  INTERLOCK_MEMORY_WEAK,
} interlock_exploration_memory;

/// Another memory order for the atomic operation at a call site, in the numbers of C.
typedef struct {
  uintptr_t place;
  int order;
} interlock_memory_order;

/// The largest number of threads of a pool of Dispatch on Linux.
#define INTERLOCK_DISPATCH_POOL_WIDTH 255

/// Facts about a body that make more operations depend on the order. Without its fact, such an
/// operation is not a point, or is not recorded.
typedef enum {
  /// A lock was tried, or waited for with a limit: releases are points.
  INTERLOCK_FACT_TRIES = 1 << 0,
  /// A pool may have too few threads: the order in which blocks reach it matters.
  INTERLOCK_FACT_POOLS = 1 << 1,
  /// A concurrent queue has a barrier, was suspended or began inactive: the order of its blocks
  /// matters.
  INTERLOCK_FACT_BARRIERS = 1 << 2,
  /// Jobs of tasks run on a serial queue or a custom executor: their order matters.
  INTERLOCK_FACT_SERIAL_JOBS = 1 << 3,
  /// A thread waited for a lock of the Swift runtime's tasks, which is held while the user's
  /// cancellation handlers run: these locks become operations.
  INTERLOCK_FACT_TASK_LOCKS = 1 << 4,
  /// The body has sections. Adds no points; the exploration ends at the first section, so that the
  /// caller can begin to follow the order of sections.
  INTERLOCK_FACT_SECTIONS = 1 << 5,
  /// The user's code reads a clock: these reads are points, and depend on operations that move the
  /// clock.
  INTERLOCK_FACT_CLOCK = 1 << 6,
  /// The body can see the order in which the tasks of a group end, by their results or their
  /// failures.
  INTERLOCK_FACT_GROUP_ORDER = 1 << 7,
  /// A task came to an actor in another way than by a switch from no actor: it was resumed there,
  /// began there, or came from another actor that it had to give up. Then the runtime's own queue
  /// decides which task is next, and the model does not order the actor's turns.
  INTERLOCK_FACT_ACTOR_JOBS = 1 << 8,
  /// A function of the library's asynchronous sequences takes a lock of the runtime: it looks at a
  /// stream or a group, and each look becomes a point.
  INTERLOCK_FACT_SEQUENCES = 1 << 9,
  /// An execution leaves state behind, which the next execution finds. Adds no points.
  INTERLOCK_FACT_KEEPS_STATE = 1 << 10,
  /// A weak or unowned reference was loaded: the last release of such an object becomes a point.
  INTERLOCK_FACT_REFERENCES = 1 << 11,
  /// The initialiser of a global variable performs an operation, such as taking a lock: state that
  /// the next execution finds. If each execution has a process of its own, the first use of a
  /// global by each thread becomes an operation.
  INTERLOCK_FACT_INITIALISERS = 1 << 12,
  INTERLOCK_ALL_FACTS = 2 * INTERLOCK_FACT_INITIALISERS - 1,
} interlock_exploration_fact;

typedef struct {
  /// True if the body runs on the main thread: no block of the main queue runs beside it, except
  /// while it polls its run loop.
  bool body_is_main;
  /// The largest number of executions; 0 for no limit.
  uint64_t executions;
  /// The limit of real time in nanoseconds, checked between executions; 0 for no limit.
  uint64_t budget;
  /// The limit of steps for one execution; 0 for the default, 1,000,000.
  uint64_t steps;
  /// The steps of one execution that the strategy chooses, before a fair schedule takes over; 0 for
  /// `steps`. A lower number leaves a loop early that only another thread can end.
  uint64_t chosen_steps;
  /// The limit of real time between two points of an execution in nanoseconds; 0 for the default,
  /// 10 s.
  uint64_t execution_time;
  /// The number of times that a loop yields in a row while other threads can run.
  uint32_t yields_in_a_row;
  /// True if an execution fails when it starts a process, waits for descriptors, or has waited for
  /// a second for uncontrolled events.
  bool leaves_outside;
  /// The number of executions before the first that the strategy chooses, so that lazy state is
  /// initialised: 0, 1 or 2. Thread 0 goes first in each. Two are compared with each other, and
  /// with a third after the last execution; a difference shows that the body leaves state behind.
  uint32_t warm_ups;
  /// The number of executions, from the first, that are run twice with the same choices. A trace
  /// that differs is a failure: the body depends on something that is not controlled, or leaves
  /// state behind.
  uint32_t determinism_checks;
  /// The threads of a pool of Dispatch, and the tasks of a priority that run at once. 0 for 255
  /// threads, as many as the system makes, and room for all tasks. Pools of queues without a
  /// target, which are serial, always have 255.
  uint32_t pool_width;
  /// The tasks of a priority that run at once, if `pool_width` is for Dispatch alone; 0 for
  /// `pool_width`. On Linux, Dispatch makes more threads if its threads block.
  uint32_t task_width;
  interlock_exploration_time time;
  interlock_exploration_memory memory_model;
  /// With the weak memory model: memory orders that replace those in the code.
  const interlock_memory_order *memory_orders;
  size_t memory_order_count;
  /// True if the caller says which compare-exchanges may fail by themselves: see
  /// `interlock_unknown_exchanges`.
  bool knows_exchanges;
  /// The facts that earlier executions of the body have shown, as `interlock_exploration_fact`
  /// bits: see `must_begin_anew`. A replay needs the facts of the exploration whose choices it
  /// repeats.
  uint32_t facts;
  /// Called on the caller's thread when an execution has deadlocked, while its threads still hold
  /// locks and wait, so that it can ask readers of the events. NULL for none.
  void (*deadlocked)(void *);
  void *deadlocked_context;
  /// Runs `function(argument)` of each logical thread within bindings that the caller needs. A task
  /// that inherits no task-local values gets those that this function binds. NULL for none.
  void *(*around)(void *, void *(*function)(void *), void *argument);
  void *around_context;
  /// Continue after a failed execution.
  bool keeps_going;
  /// Also records the callers of places, which costs some nanoseconds for each point.
  bool follows_callers;
  /// Estimates the share of the executions that the strategy can produce which it has produced: see
  /// `interlock_estimate_coverage`. Executions that differ only in the order of steps without a
  /// common object count as one.
  bool estimates;
  /// The estimate of earlier explorations by the same strategy, to which this one adds; NULL for
  /// none. Not with child processes.
  struct interlock_estimate *estimate;
  /// The call sites of the memory accesses that are points, by their return addresses; at most 64.
  /// Without a check of memory there are no such points.
  const uintptr_t *points;
  size_t point_count;
  /// For the token of an order after which the process cannot continue: the name of the body (NULL
  /// for no token), the width of the pools, and the keys of the points.
  const char *token_body;
  uint32_t token_width;
  const uint64_t *point_keys;
  /// Uses one OS thread for each logical thread, with a hand-over through the kernel, even if the
  /// processor could switch.
  bool uses_os_threads;
  /// For an exploration in child processes: runs each execution in a child of its own, with its own
  /// warm-ups, so that it finds the memory as it was before the first execution. The strategy stays
  /// usable.
  bool forks_each;
  /// For an exploration in child processes: called in the child before its first execution, to
  /// start the readers of events that a fork removes. NULL for none.
  void (*child_begins)(void *context);
  /// For an exploration in child processes: called in the child after its last execution. Writes at
  /// most `room` bytes, which become the result's `report`, and returns their number. NULL for
  /// none.
  size_t (*report)(void *context, char *bytes, size_t room);
  void *report_context;
  /// Set by `interlock_explore_in_jobs` for each of its processes.
  struct interlock_jobs *jobs;
  uint32_t job;
} interlock_exploration_options;

/// Runs `body` on logical thread 0 once for each execution. The body returns false if it failed.
/// One exploration runs at a time; a second caller waits. The explorer owns all memory of the
/// result.
interlock_explore_status interlock_explore(const interlock_exploration_options *options,
                                           bool (*body)(void *), void *context,
                                           interlock_strategy *strategy,
                                           interlock_exploration_result *result);

/// The same in a child process. A body that calls `exit`, kills its process or corrupts its memory
/// ends the child, not the caller, and that end is a finding with its choices. The caller does not
/// see what the body writes to memory. The strategy is used up, because its progress stays in the
/// child. With `forks_each`, each execution has a child, and the strategy decides for all of them.
interlock_explore_status interlock_explore_isolated(const interlock_exploration_options *options,
                                                    bool (*body)(void *), void *context,
                                                    interlock_strategy *strategy,
                                                    interlock_exploration_result *result);

/// The same in `count` child processes at once, at most `INTERLOCK_JOBS_MOST`, each with a strategy
/// of its own. If these are strategies of optimal DPOR, they share `jobs` (`interlock_dpor_share`),
/// and `takes_parts` is true: the result has the sums, and is complete if all orders were run.
///
/// A failure stops the jobs that are after it in the order of the parts, or of the executions; the
/// other jobs continue up to it. Of several failures, the first in this order is the result, which
/// therefore does not depend on the speed of the processes.
interlock_explore_status interlock_explore_in_jobs(const interlock_exploration_options *options,
                                                   bool (*body)(void *), void *context,
                                                   interlock_strategy *const *strategies,
                                                   uint32_t count, struct interlock_jobs *jobs,
                                                   bool takes_parts,
                                                   interlock_exploration_result *result);

/// Whether a compare-exchange may fail although it finds the value that it expects.
typedef enum {
  INTERLOCK_EXCHANGE_UNKNOWN = 0,
  INTERLOCK_EXCHANGE_STRONG,
  INTERLOCK_EXCHANGE_WEAK,
  /// The source cannot be read: the exchange counts as strong, and the result says so.
  INTERLOCK_EXCHANGE_UNREAD,
} interlock_exchange_kind;

/// Writes the call sites of compare-exchanges whose kind the caller has to tell before it explores
/// again; returns their number.
size_t interlock_unknown_exchanges(uintptr_t *places, size_t room);
void interlock_exchange_is(uintptr_t place, interlock_exchange_kind kind);

/// Marks the running execution as failed for the reason `text`; the execution continues. Does
/// nothing on a thread that is not explored.
void interlock_exploration_fail(const char *text);
/// Marks the running execution as failed at the line `place`, and ends it. On an explored thread
/// the call does not return, and locks that the execution's threads hold are not released by them.
void interlock_exploration_end(const char *text, const char *place);
/// Records that the running execution depends on events that no order controls. With
/// `leaves_outside`, ends the execution. Does nothing on a thread that is not explored.
void interlock_exploration_leave(const char *reason);

/// True if the calling thread is explored.
bool interlock_is_explored(void);

/// Reaches a point of the calling thread before it accesses the memory at `address`. The kind is
/// `READ`, `WRITE` or `READ_WRITE`. For tests of code that synchronises by atomics. Does nothing on
/// a thread that is not explored.
void interlock_explored_access(interlock_operation_kind kind, const void *address);
/// Corrects the kind of the calling thread's last such point: a compare-exchange that fails has
/// only read.
void interlock_explored_access_was(interlock_operation_kind kind, const void *address);
/// Adds an operation on the memory at `address` to the running step of the calling thread, without
/// a point, even while its calls are hidden.
void interlock_explored_accessed(interlock_operation_kind kind, const void *address);

/// Records that two accesses of explored threads race, unless code that is not instrumented orders
/// them.
void interlock_explored_memory_undecided(void);

/// Writes the threads of the running execution that have not ended: their numbers in the system and
/// in the execution. Returns how many there are. For the function `deadlocked`.
size_t interlock_explored_threads(uint32_t *system_numbers, uint32_t *numbers, size_t capacity);
/// Returns true if the running execution has used the object at an address; it has used each of its
/// own tasks. For the function `deadlocked`.
bool interlock_explored_knows(uintptr_t address);
/// Returns the object number that the steps of the running execution use for an address; 0 for
/// none. For the function `deadlocked`.
uint32_t interlock_explored_number(uintptr_t address);
/// Writes the call sites of timers that the execution has set on sources it has not resumed;
/// returns their number. For the function `deadlocked`.
size_t interlock_explored_stopped_timers(uintptr_t *places, size_t capacity);

/// The path of this header: the folder of the target.
static inline const char *interlock_explorer_header(void) { return __FILE__; }

/// The line of a section or a sync point, from the `place` of its step. The function returns false
/// if `place` is an address of code. For a sync point, `file` is its name, and `line` is 0.
typedef struct {
  /// At most 255 bytes each; valid until the calling thread asks for another line.
  const char *file, *function;
  uint32_t line;
} interlock_section_line;
bool interlock_section_line_at(uintptr_t place, interlock_section_line *line);

/// Writes a thread's pending step, for a strategy that needs its place. Returns false if there is
/// no such thread, or if it has ended.
bool interlock_exploration_pending(uint32_t thread, interlock_exploration_step *step);

/// Returns a name for the kind of an operation.
const char *interlock_operation_name(uint16_t kind);

#ifdef __cplusplus
}
#endif

#endif
