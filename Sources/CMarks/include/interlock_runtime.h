/// Declarations that the tracker needs and Swift cannot express. Not for use outside the package.
///
/// Thread-local storage, zero-initialised storage that exists before any code runs, and weak
/// references to the runtimes.
#ifndef INTERLOCK_RUNTIME_H
#define INTERLOCK_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __linux__
#include <threads.h>
#else
#include <sched.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define INTERLOCK_BUCKETS 1024
#define INTERLOCK_BUCKET_WORDS 8

/// The calling thread's context, or null before its first section. In C, because Swift has no
/// thread-locals. Initial-exec: one load instead of a call, for eight bytes of the space that every
/// process reserves.
extern _Thread_local void *interlock_thread_home __attribute__((tls_model("initial-exec")));

/// The table of open sections, one cache line for each bucket. In C, because each use of a Swift
/// global costs a once-check.
extern uintptr_t interlock_buckets[INTERLOCK_BUCKETS * INTERLOCK_BUCKET_WORDS];

#define INTERLOCK_HISTORIES 4096

/// The shadow states of resources, as addresses by a hash of their keys; 0 for none.
extern uintptr_t interlock_histories[INTERLOCK_HISTORIES];

/// 1 once the shadow state has a section on a part of a resource. Until then, no thread looks for
/// one.
extern uintptr_t interlock_remembers_parts;

/// The settings that the fast path reads, in one word; 0 until they are first read.
extern uintptr_t interlock_hot_settings;

/// Lets another thread run. Not by `sched_yield`, which is interposed: the explorer would take the
/// call for a step of the user's code.
static inline void interlock_give_way(void) {
#ifdef __linux__
  thrd_yield();
#else
  sched_yield();
#endif
}

static inline void *interlock_get_home(void) { return interlock_thread_home; }
static inline void *interlock_get_buckets(void) { return interlock_buckets; }
static inline void *interlock_get_histories(void) { return interlock_histories; }
static inline void *interlock_get_remembers_parts(void) { return &interlock_remembers_parts; }
static inline void *interlock_get_hot_settings(void) { return &interlock_hot_settings; }

/// Sets the calling thread's context. When the thread exits, it calls
/// `interlock_thread_exited(home)`. From then on, the child of a fork calls
/// `interlock_process_forked()`.
void interlock_set_home(void *home);

/// Registers `interlock_process_ends()` as an exit handler, once even if called again.
void interlock_watch_exit(void);

/// Makes the object by which the table of sections, a Swift module below the tracker's, calls the
/// tracker. The caller owns the reference. Swift's sides:
/// `Sources/SectionTable/TrackerHooks.swift`, `Sources/Interlock/TableHooks.swift`.
void *interlock_make_tracker_hooks(void);

/// True if the executable has tests of XCTest; also if that is not known.
_Bool interlock_has_xctests(void);

/// Reads `INTERLOCK_OPTIONS`, once. Swift's side:
/// `Sources/Interlock/Settings/EnvironmentOptions.swift`.
void interlock_read_options(void);

/// The options of one product: a function that adds them to the list.
typedef struct interlock_options {
  void (*declare)(void *list);
  struct interlock_options *next;
} interlock_options;

/// Declares the options of a product, for the rest of the process. Call it in a constructor of a
/// priority below 65535: a constructor without a priority reads the options.
void interlock_declare_options(interlock_options *options);

/// Calls every product's function with `list`.
void interlock_collect_options(void *list);

/// A lock that a thread holds, from the order source.
typedef struct {
  /// The lock's address, the call site that acquired it, and the caller of that function, if known.
  uintptr_t object, place, outer;
  /// The kind of lock, as a number that the order source defines.
  uint32_t kind;
} interlock_held_at;

/// Answers happens-before questions. Set by the module that follows the process's synchronisation;
/// the tracker itself sees only sections.
typedef struct {
  /// Writes the calling thread's epoch: a number of the thread, and a count that grows with each
  /// release. Returns false if the thread's order is unknown. `is_task`: a task runs on the thread.
  _Bool (*epoch)(_Bool is_task, uint32_t *slot, uint64_t *count);
  /// True if everything that a thread, or a task on it, did up to a count happens before the
  /// calling thread's next step.
  _Bool (*has_seen)(uint32_t slot, uint64_t count);
  /// The locks that the calling thread holds.
  size_t (*held)(interlock_held_at *held, size_t capacity);
} interlock_order_source;

/// Above 0 while the calling thread holds a lock of the tracker, which must not count as the user's
/// order.
extern _Thread_local uint32_t interlock_tracker_locks __attribute__((tls_model("initial-exec")));
static inline void interlock_enter_tracker_lock(void) { interlock_tracker_locks++; }
static inline void interlock_leave_tracker_lock(void) { interlock_tracker_locks--; }

/// Sets the order source, NULL for none; it must live as long as the process.
void interlock_set_order_source(const interlock_order_source *source);
extern const interlock_order_source *interlock_order_source_now;
static inline const interlock_order_source *interlock_get_order_source(void) {
  // Acquire: pairs with the release in `interlock_set_order_source`.
  return __atomic_load_n(&interlock_order_source_now, __ATOMIC_ACQUIRE);
}

/// The runtimes' entry points, weak: a C program may link neither Swift Concurrency nor Dispatch.
#ifdef __APPLE__
#define INTERLOCK_WEAK __attribute__((weak_import))
#else
#define INTERLOCK_WEAK __attribute__((weak))
#endif
extern void *swift_task_getCurrent(void) INTERLOCK_WEAK;
extern uint64_t swift_task_getJobTaskId(void *task) INTERLOCK_WEAK;
extern const char *dispatch_queue_get_label(void *queue) INTERLOCK_WEAK;

extern char *swift_demangle(const char *name, size_t length, char *output, size_t *output_length,
                            uint32_t flags) INTERLOCK_WEAK;

/// Returns the demangled name; null if it is no Swift symbol. The caller frees it by
/// `interlock_free_demangled`.
char *interlock_demangled(const char *symbol);
void interlock_free_demangled(char *name);

extern char *_swift_backtrace_demangle(const char *name, size_t length, char *output,
                                       size_t *output_length) INTERLOCK_WEAK;
extern bool _swift_backtrace_isThunkFunction(const char *name) INTERLOCK_WEAK;

/// Returns the short name that the toolchain's backtraces show; null if it is no symbol of Swift or
/// C++. The caller frees it by `interlock_free_demangled`.
char *interlock_backtrace_name(const char *symbol);

/// True if a function only forwards a call.
bool interlock_is_thunk(const char *symbol);

/// The current task's number, unique in the process, or 0 outside a task.
static inline uint64_t interlock_current_task(void) {
  if (!swift_task_getCurrent) return 0;
  void *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}

/// Returns the word in which the Swift runtime keeps the calling thread's current task, 0 for none.
/// The word is valid until the thread ends, and only the thread may read it. Returns the address of
/// `interlock_unknown_task` if the word is not known.
const uintptr_t *interlock_task_word(void);
extern const uintptr_t interlock_unknown_task;
static inline const uintptr_t *interlock_unknown_task_word(void) { return &interlock_unknown_task; }

/// Returns the word of the calling thread's storage that a function returns, if its machine code
/// does nothing else; the address of `interlock_unknown_task` for any other code.
const uintptr_t *interlock_decode_task_word(const void *function);

/// Like `interlock_current_task`, from the calling thread's word.
static inline uint64_t interlock_current_task_at(const uintptr_t *word) {
  uintptr_t task = *word;
  if (__builtin_expect(task == 0, 1)) return 0;
  if (task == interlock_unknown_task) return interlock_current_task();
  return swift_task_getJobTaskId((void *)task);
}

/// Returns the label of the current Dispatch queue, valid while the caller runs on the queue; null
/// without Dispatch.
static inline const char *interlock_current_queue_label(void) {
  return dispatch_queue_get_label ? dispatch_queue_get_label(NULL) : NULL;
}

/// Returns the word in which libdispatch keeps the calling thread's current queue, 0 for none. The
/// word is valid until the thread ends, and only the thread may read it. Returns the address of
/// `interlock_unknown_queue` if the word is not known.
const uintptr_t *interlock_queue_word(void);
extern const uintptr_t interlock_unknown_queue;
static inline const uintptr_t *interlock_unknown_queue_word(void) {
  return &interlock_unknown_queue;
}

/// True if the value of such a word is 0 or a queue of libdispatch's own, whose label is never
/// freed.
_Bool interlock_is_lasting_queue(uintptr_t queue);

/// An event of a lock whose fast path makes no call that can be interposed.
typedef enum {
  INTERLOCK_LOCK_MADE,
  INTERLOCK_LOCK_TAKEN,
  INTERLOCK_LOCK_GIVEN_BACK,
  INTERLOCK_LOCK_DESTROYED,
  /// Comes before another event: it is not known whether the lock is new at its address.
  INTERLOCK_LOCK_NOT_KNOWN,
} interlock_lock_change;

/// A function's return address and frame.
typedef struct {
  uintptr_t place, frame;
} interlock_call_place;

typedef void (*interlock_lock_listener)(interlock_lock_change, const void *, interlock_call_place);

/// Called for events of such locks. Null without a listener; an event then costs a load and a
/// branch.
extern interlock_lock_listener interlock_current_lock_listener;

/// The return address and frame of the function that inlines this.
static inline __attribute__((always_inline)) interlock_call_place interlock_caller(void) {
  return (interlock_call_place){(uintptr_t)__builtin_return_address(0),
                                (uintptr_t)__builtin_frame_address(0)};
}

/// Sets the listener. NULL removes it; only in the child of a fork, in which no other thread calls
/// it.
void interlock_listen_to_locks(interlock_lock_listener listener);

static inline void interlock_publish_lock_change(interlock_lock_change change, const void *lock,
                                       interlock_call_place place) {
  // Acquire: pairs with the release in `interlock_listen_to_locks`.
  interlock_lock_listener listener =
      __atomic_load_n(&interlock_current_lock_listener, __ATOMIC_ACQUIRE);
  if (listener) listener(change, lock, place);
}

/// Reports an event of a lock that this section takes. If the lock is new for the section, first
/// reports that the lock was made, because its address may have been another lock's; or, if the
/// table of such locks is full, that this is not known.
void interlock_publish_section_lock(interlock_lock_change change, const void *lock,
                                    uint64_t section,
                                  interlock_call_place place);

/// Returns the calling thread's system-wide number.
uint64_t interlock_thread_number(void);

/// Returns how many libraries have been loaded so far; 0 if the system does not count them.
uint64_t interlock_libraries_loaded(void);

/// Returns the file of the executable or library that contains this address, and its start; NULL if
/// there is none. The executable's file is "/proc/self/exe" on Linux.
const char *interlock_image_of(uintptr_t address, uintptr_t *base);

/// Writes all bytes to standard error, even if signals interrupt the write.
void interlock_write_error(const char *bytes, size_t length);

/// Ends the process as a failed assertion does.
void interlock_trap(void) __attribute__((noreturn));

/// Ends the process with this code from a handler of `exit`; the remaining handlers still run.
void interlock_exit_from_handler(int code);

#ifdef __cplusplus
}
#endif

#endif
