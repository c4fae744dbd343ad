/// Races in memory: the functions that code compiled with `-sanitize=thread` calls, implemented
/// with the clocks of `CInterlockAnalysis`. The toolchain's ThreadSanitizer runtime is not linked.
///
/// The compiler calls `__tsan_read8` and others before each access. Each access is compared with
/// the last accesses of the same bytes: if nothing orders the two, and one of them writes, they
/// race. The result does not depend on whether they overlapped in time.
#ifndef INTERLOCK_MEMORY_H
#define INTERLOCK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define INTERLOCK_MEMORY_FRAMES 32
#define INTERLOCK_MEMORY_HELD 6
#define INTERLOCK_MEMORY_LABEL 48

/// A lock or queue that a thread held.
typedef struct {
  uintptr_t object;
  /// The call site that acquired it, and the caller of that function; 0 if that is not known.
  uintptr_t place, outer;
  /// An `interlock_object_kind`.
  uint32_t kind;
  /// Whether others may hold it at the same time: a lock for reading.
  bool is_shared;
} interlock_memory_held;

/// One of the two accesses of a race.
typedef struct {
  bool is_write;
  bool is_atomic;
  /// The first byte, and how many; of an access to more than 8 bytes, those in one unit of 8.
  uintptr_t address;
  uint32_t size;
  /// The system's number of the thread; 0 if that is not known any more.
  uint32_t thread;
  /// One more than the number of the explored thread in schedules; 0 for none.
  uint32_t explored_thread;
  /// The number of the task; 0 for none, or if it is not known.
  uint64_t task;
  /// The number of the scope, such as a test, that the access belongs to; 0 for none.
  uint64_t scope;
  /// Whether `thread`, `task`, `scope`, `queue` and `held` are known: the record of an earlier
  /// access is overwritten after some thousand releases of its thread.
  bool is_known;
  /// The label of the queue; empty for none.
  char queue[INTERLOCK_MEMORY_LABEL];
  uint32_t held_count;
  interlock_memory_held held[INTERLOCK_MEMORY_HELD];
  /// Return addresses, the access first. 0 frames if there was no room to record it.
  uint32_t frame_count;
  uintptr_t frames[INTERLOCK_MEMORY_FRAMES];
} interlock_memory_side;

/// Two accesses that nothing orders. Each pair of places is reported once for each scope of the
/// second access, and again after another scope has begun: see `interlock_memory_scope_begins`.
typedef struct {
  /// The access that the calling thread makes, and the one that it found.
  interlock_memory_side now, before;
  /// Both call sites are points of the exploration that the calling thread belongs to: see
  /// `interlock_memory_set_points`.
  bool is_at_points;
  /// Whether code that is compiled without the option may order the two: the one thread has called
  /// such code after its access, and the other one has come back from it since, before its own, or
  /// comes after a thread that has. Of explored threads, the exploration alone gets such a race.
  bool may_be_ordered;
  /// The two parts of that: whether such code was called after `before`, and whether the thread of
  /// `now`, or one that it comes after, has come back from such code at any time. For an access in
  /// a function that such code calls.
  bool is_given, is_taken;
} interlock_memory_race;

/// Called on the thread that makes the second access, before it makes it.
typedef void (*interlock_memory_reporter)(const interlock_memory_race *race);

/// Begins to check, for the rest of the process's life. Returns NULL, or why it cannot. The
/// reporter must be set before. Callable from any thread; later calls return the first result.
const char *interlock_memory_start(void);
/// Switches the check off for the rest of the process's life, before it has started: the calls of
/// instrumented code for its accesses, but for those of atomics, become no-operations where that is
/// possible. Call it before the program starts, while there is only one thread. Returns the number
/// of calls that are left out.
size_t interlock_memory_leave_out(void);
/// Sets the function that receives the races.
void interlock_memory_report_to(interlock_memory_reporter reporter);

/// The object of a Swift class that an address lies in, and the class's metadata; 0 if there is
/// none. Searches the memory before the address: for reports.
uintptr_t interlock_memory_object(uintptr_t address, const void **metadata);
/// The path of the image that an address is loaded from, and where the image begins; NULL if it is
/// in none.
const char *interlock_memory_image(uintptr_t address, uintptr_t *start);
typedef void (*interlock_memory_code_visitor)(void *context, uintptr_t function);
/// Visits the functions of the executable that are compiled without the option, and that checked
/// code has called directly; one may be visited more than once. Only on x86-64; elsewhere it visits
/// none.
void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context);
/// Whether a call returns to code of the executable that is compiled without the option. Only on
/// x86-64; elsewhere false.
bool interlock_memory_is_plain(uintptr_t returns_to);
/// Returns the number of the scope that the calling thread's task, block or thread belongs to.
typedef uint64_t (*interlock_memory_scope)(void);
/// Sets the function that decides which scope an access belongs to.
void interlock_memory_scope_from(interlock_memory_scope scope);
/// Call it when the calling thread has entered or left a scope: its next accesses belong to another
/// scope.
void interlock_memory_scope_changes(void);

/// Why accesses are no longer checked; NULL while they are checked, or if the check never began.
const char *interlock_memory_blindness(void);
/// Whether instrumented code has run, or is linked: without any there is nothing to check.
bool interlock_memory_is_instrumented(void);
/// Whether `function`, which writes to its argument, is instrumented. Call it before the check
/// starts.
bool interlock_memory_is_instrumented_function(void (*function)(int *));
/// A scope, such as a test, or an explored execution begins: a pair of places that was reported
/// before is reported again, since it may belong to the new scope. The explorer calls it, if memory
/// is checked.
void interlock_memory_scope_begins(void);
/// From now on, each access of an explored thread at one of these call sites, by their return
/// addresses, is a point: the explorer is asked before it. A race of two of them is reported only
/// with `reports`. At most 64; set none when no thread is explored any more. The explorer calls it.
void interlock_memory_set_points(const uintptr_t *sites, size_t count, bool reports);
/// Checks in the child of a fork too, if its parent does. Call it in the child, on its only thread.
/// The explorer calls it.
void interlock_memory_go_on_in_child(void);
/// Returns when the other threads have reported the races that they have found, after 60 s at most:
/// for the end of the process. Reports what the calling thread has held back.
void interlock_memory_await_reports(void);
/// How many accesses were compared with those of other threads; one that a thread repeats before it
/// synchronises counts once.
uint64_t interlock_memory_compared(void);
typedef void (*interlock_memory_module_visitor)(void *context, const char *name, size_t length);
/// Visits the Swift modules of the executable that have a checked function, once the check has
/// started. Only on x86-64; elsewhere it visits none.
void interlock_memory_visit_modules(interlock_memory_module_visitor visitor, void *context);
/// How many pairs of places were reported.
uint64_t interlock_memory_pairs(void);
/// How many accesses raced: a pair of places counts each time.
uint64_t interlock_memory_races(void);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it, which locates the target's sources.
static inline const char *interlock_memory_header(void) { return __FILE__; }

#endif
