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
  /// The call site that acquired the lock, and the caller of that function; 0 if it is not known.
  uintptr_t place, outer;
  /// An `interlock_object_kind`.
  uint32_t kind;
  /// True if other threads may hold it at the same time: a lock for reading.
  bool is_shared;
} interlock_memory_held;

/// One of the two accesses of a race.
typedef struct {
  bool is_write;
  bool is_atomic;
  /// The first byte, and the number of bytes. For an access to more than 8 bytes, those in one unit
  /// of 8 bytes.
  uintptr_t address;
  uint32_t size;
  /// The system's number of the thread; 0 if it is no longer known.
  uint32_t thread;
  /// 1 + the number of the explored thread in schedules; 0 for none.
  uint32_t explored_thread;
  /// The number of the task; 0 for none, or if it is not known.
  uint64_t task;
  /// The number of the scope, such as a test, to which the access belongs; 0 for none.
  uint64_t scope;
  /// True if `thread`, `task`, `scope`, `queue` and `held` are known: the record of an earlier
  /// access is overwritten after some thousand releases of its thread.
  bool is_known;
  /// The label of the queue; empty for none.
  char queue[INTERLOCK_MEMORY_LABEL];
  uint32_t held_count;
  interlock_memory_held held[INTERLOCK_MEMORY_HELD];
  /// The return addresses, the access first. No frames if there was no room to record them.
  uint32_t frame_count;
  uintptr_t frames[INTERLOCK_MEMORY_FRAMES];
} interlock_memory_side;

/// A race: two accesses that nothing orders. Each pair of places is reported once for each scope of
/// the second access, and again after another scope has begun: see `interlock_memory_scope_begins`.
typedef struct {
  /// The access that the calling thread makes, and the earlier access that races with it.
  interlock_memory_side now, before;
  /// True if both call sites are points of the exploration to which the calling thread belongs: see
  /// `interlock_memory_set_points`.
  bool is_at_points;
  /// True if plain code, which is compiled without the option, may order the two. The first thread
  /// has called plain code after its access. Since then, the second thread has returned from plain
  /// code before its own access, or comes after a thread that has. On explored threads, such a race
  /// is passed to the exploration only.
  bool may_be_ordered;
  /// The two conditions of `may_be_ordered`, separately: plain code was called after `before`; and
  /// the thread of `now`, or a thread that it comes after, has returned from plain code at any
  /// time. For an access in a function that plain code calls.
  bool is_given, is_taken;
} interlock_memory_race;

/// Called on the thread that makes the second access, at that access or soon after it; or on the
/// thread that ends the process.
typedef void (*interlock_memory_reporter)(const interlock_memory_race *race);

/// Begins to check, for the rest of the process's life. Returns NULL, or the reason why it cannot.
/// The reporter must be set before. Callable from any thread; later calls return the first result.
const char *interlock_memory_start(void);
/// Switches the check off for the rest of the process's life, before it has started: the calls of
/// instrumented code for accesses other than atomics become no-operations where that is possible.
/// Call it before the program starts, while there is only one thread. Returns the number of calls
/// that were replaced.
size_t interlock_memory_leave_out(void);
/// Sets the function that receives the races.
void interlock_memory_report_to(interlock_memory_reporter reporter);

/// Returns the object of a Swift class that contains an address, and the class's metadata; 0 if
/// there is none. For reports, because it searches the memory before the address.
uintptr_t interlock_memory_object(uintptr_t address, const void **metadata);
/// Returns the path of the image that contains an address, and its start; NULL if there is none.
const char *interlock_memory_image(uintptr_t address, uintptr_t *start);
typedef void (*interlock_memory_code_visitor)(void *context, uintptr_t function);
/// Visits the functions of the executable that are compiled without the option and that checked
/// code has called directly. May visit one more than once. On x86-64 only; elsewhere it visits
/// none.
void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context);
/// True if a call returns to code of the executable that is compiled without the option. On x86-64
/// only; elsewhere false.
bool interlock_memory_is_plain(uintptr_t returns_to);
/// Returns the number of the scope to which the calling thread's task, block or thread belongs.
typedef uint64_t (*interlock_memory_scope)(void);
/// Sets the function that decides to which scope an access belongs.
void interlock_memory_scope_from(interlock_memory_scope scope);
/// Called when the calling thread has entered or left a scope, so that its next accesses belong to
/// another scope.
void interlock_memory_scope_changes(void);

/// Returns the reason why accesses are no longer checked; NULL while they are checked, or if the
/// check never began.
const char *interlock_memory_blindness(void);
/// True if instrumented code has run, or is linked. Otherwise there is nothing to check.
bool interlock_memory_is_instrumented(void);
/// True if `function`, which writes to its argument, is instrumented. Call it before the check
/// starts.
bool interlock_memory_is_instrumented_function(void (*function)(int *));
/// Called when a scope, such as a test, or an explored execution begins: a pair of places that was
/// reported before is reported again, since it may belong to the new scope. The explorer calls this
/// if memory is checked.
void interlock_memory_scope_begins(void);
/// Makes each access of an explored thread at one of these call sites (return addresses) a point
/// from now on: the explorer is called before it. A race between two such accesses is reported only
/// with `reports`. At most 64; set none once no thread is explored. The explorer calls this.
void interlock_memory_set_points(const uintptr_t *sites, size_t count, bool reports);
/// Continues the check in the child of a fork, if the parent checks. Call it in the child, on its
/// only thread. The explorer calls this.
void interlock_memory_go_on_in_child(void);
/// Returns when the races that all threads have found are reported, after 60 s at most. Reports the
/// races that the calling thread and others have held back. For the end of the process, on any
/// thread.
void interlock_memory_await_reports(void);
/// Returns the number of accesses that were compared with those of other threads. An access that a
/// thread repeats before it synchronises counts once.
uint64_t interlock_memory_compared(void);
typedef void (*interlock_memory_module_visitor)(void *context, const char *name, size_t length);
/// Visits the Swift modules of the executable that have a checked function, once the check has
/// started. Only on x86-64; elsewhere it visits none.
void interlock_memory_visit_modules(interlock_memory_module_visitor visitor, void *context);
/// Returns the number of pairs of places that were reported.
uint64_t interlock_memory_pairs(void);
/// Returns the number of accesses that raced: a pair of places counts each time.
uint64_t interlock_memory_races(void);

#ifdef __cplusplus
}
#endif

/// The path of this header as the compiler has it, which locates the target's sources.
static inline const char *interlock_memory_header(void) { return __FILE__; }

#endif
