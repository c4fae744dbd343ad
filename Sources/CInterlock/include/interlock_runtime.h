/// What the tracker needs and Swift cannot say: thread-local storage, zero-initialised storage that
/// is there before any code runs, weak references to the runtimes, and a walk over its own frames.
/// Not for use outside the package.
#ifndef INTERLOCK_RUNTIME_H
#define INTERLOCK_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define INTERLOCK_BUCKETS 1024
#define INTERLOCK_BUCKET_WORDS 8

/// The calling thread's home, or null before its first section. C, because Swift has no
/// thread-locals. Initial-exec: one load instead of a call, for eight bytes of the space that every
/// process reserves.
extern _Thread_local void *interlock_thread_home __attribute__((tls_model("initial-exec")));

/// The table of open sections, a cache line a bucket. C, because a Swift global costs a once-check
/// a use.
extern uintptr_t interlock_buckets[INTERLOCK_BUCKETS * INTERLOCK_BUCKET_WORDS];

#define INTERLOCK_HISTORIES 4096

/// What resources remember, by their keys: addresses, where anything is remembered at all.
extern uintptr_t interlock_histories[INTERLOCK_HISTORIES];

/// 1 once a section on a part of a resource is remembered: before that, nobody looks for one.
extern uintptr_t interlock_remembers_parts;

/// The settings that the path without a conflict reads, in one word; 0 until they are first read.
extern uintptr_t interlock_hot_settings;

static inline void *interlock_get_home(void) { return interlock_thread_home; }
static inline void *interlock_get_buckets(void) { return interlock_buckets; }
static inline void *interlock_get_histories(void) { return interlock_histories; }
static inline void *interlock_get_remembers_parts(void) { return &interlock_remembers_parts; }
static inline void *interlock_get_hot_settings(void) { return &interlock_hot_settings; }

/// Makes `home` the calling thread's, and asks for `interlock_thread_exited(home)` when it exits.
void interlock_set_home(void *home);

/// Asks for `interlock_process_ends()` at exit; once, however often it is called.
void interlock_watch_exit(void);

/// Whether the executable has tests of XCTest; true where that is not known.
_Bool interlock_has_xctests(void);

/// Reads `INTERLOCK_OPTIONS`, once. Swift's side:
/// `Sources/Interlock/Settings/EnvironmentOptions.swift`.
void interlock_read_options(void);

/// The options that one product obeys: a function that adds them to the list.
typedef struct interlock_options {
  void (*declare)(void *list);
  struct interlock_options *next;
} interlock_options;

/// Declares the options of a product, for the rest of the process. To be called by a constructor of
/// a priority below 65535: the options are read by one that has none.
void interlock_declare_options(interlock_options *options);

/// Calls every product's function with `list`.
void interlock_collect_options(void *list);

/// Something that a thread holds, as who follows the locks knows it.
typedef struct {
  /// Its address, where it was taken, and where that function was called, if that is known.
  uintptr_t object, place, outer;
  /// What it is, by a number of who told.
  uint32_t kind;
} interlock_held_at;

/// Tells what has happened before what. Set by who follows the synchronisation of the process: the
/// tracker itself sees only sections.
typedef struct {
  /// The moment at which the calling thread is: a number of the thread, and a count that grows
  /// whenever it gives something up to others. False where its order cannot be told. `is_task` is
  /// whether a task runs on it.
  _Bool (*moment)(_Bool is_task, uint32_t *slot, uint64_t *count);
  /// Whether what a thread did up to a count, or a task on it, has happened before what the calling
  /// thread does now.
  _Bool (*has_seen)(uint32_t slot, uint64_t count);
  /// What the calling thread holds.
  size_t (*held)(interlock_held_at *held, size_t capacity);
} interlock_order_source;

/// Above 0 while the calling thread is in a lock of the tracker's own: its order is none of the
/// user's.
extern _Thread_local uint32_t interlock_tracker_locks __attribute__((tls_model("initial-exec")));
static inline void interlock_enter_tracker_lock(void) { interlock_tracker_locks++; }
static inline void interlock_leave_tracker_lock(void) { interlock_tracker_locks--; }

/// Sets and gives it; NULL for none. Whatever is set lives as long as the process.
void interlock_set_order_source(const interlock_order_source *source);
extern const interlock_order_source *interlock_order_source_now;
static inline const interlock_order_source *interlock_get_order_source(void) {
  // Acquire: pairs with the release of who sets it; who finds it finds it filled.
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

/// The demangled name, null where it is no Swift symbol; the caller gives it to
/// `interlock_free_demangled`.
char *interlock_demangled(const char *symbol);
void interlock_free_demangled(char *name);

/// A number that no other task of the process ever has, or 0 outside a task.
static inline uint64_t interlock_current_task(void) {
  if (!swift_task_getCurrent) return 0;
  void *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}

/// The label of the current Dispatch queue, valid while the caller runs on it; null without
/// Dispatch.
static inline const char *interlock_current_queue_label(void) {
  return dispatch_queue_get_label ? dispatch_queue_get_label(NULL) : NULL;
}

/// The word in which libdispatch keeps the queue that the calling thread is on, 0 where it is on
/// none. It stays until the thread ends, and is to be read by the thread alone.
/// `interlock_unknown_queue` where that is not known.
const uintptr_t *interlock_queue_word(void);
extern const uintptr_t interlock_unknown_queue;
static inline const uintptr_t *interlock_unknown_queue_word(void) { return &interlock_unknown_queue; }

/// Whether what such a word holds is no queue, or one of libdispatch's own, which keeps its label
/// for ever.
_Bool interlock_is_lasting_queue(uintptr_t queue);

/// What happens to a lock whose fast path no call shows.
typedef enum {
  INTERLOCK_LOCK_MADE,
  INTERLOCK_LOCK_TAKEN,
  INTERLOCK_LOCK_GIVEN_BACK,
  INTERLOCK_LOCK_DESTROYED,
} interlock_lock_change;

/// Where a function was called, and its frame.
typedef struct {
  uintptr_t place, frame;
} interlock_call_place;

typedef void (*interlock_lock_listener)(interlock_lock_change, const void *, interlock_call_place);

/// Told of such locks by those who take them; null while nobody listens, which costs a load and a
/// branch.
extern interlock_lock_listener interlock_lock_told;

/// Of the function that this is compiled into.
static inline __attribute__((always_inline)) interlock_call_place interlock_caller(void) {
  return (interlock_call_place){(uintptr_t)__builtin_return_address(0),
                                (uintptr_t)__builtin_frame_address(0)};
}

/// Has `listener` told of such locks from now on. NULL for none: only in the child of a fork, where
/// no other thread tells.
void interlock_listen_to_locks(interlock_lock_listener listener);

static inline void interlock_tell_lock(interlock_lock_change change, const void *lock,
                                       interlock_call_place place) {
  // Acquire: pairs with the release of who begins to listen; who sees the function sees what it
  // needs.
  interlock_lock_listener listener = __atomic_load_n(&interlock_lock_told, __ATOMIC_ACQUIRE);
  if (listener) listener(change, lock, place);
}

/// The same of a lock that is taken through the section of this number. Where the lock was not the
/// section's before, it is told to be made: what was at its address was another. Tells nothing
/// where there are more of them than are kept.
void interlock_tell_sections_lock(interlock_lock_change change, const void *lock, uint64_t section,
                                  interlock_call_place place);

/// How many words from one address up to another; a number above every such where that is none.
static inline __attribute__((always_inline)) uintptr_t interlock_words_between(uintptr_t from, uintptr_t to) {
  return __builtin_rotateright64(to - from, 3);
}

/// Walks frame pointers from `frame` into `frames`, innermost first; tens of nanoseconds. Reads
/// only between `low` and `high`, the bounds of the thread's own stack, and only ever upwards, so
/// that a register that holds no frame pointer ends the walk and nothing worse.
static inline __attribute__((always_inline)) size_t interlock_walk_frames_from(
    uintptr_t frame, uintptr_t *frames, size_t limit, uintptr_t low, uintptr_t high) {
  // Swift marks the frame of an async function by bit 60 of the saved frame pointer.
  const uintptr_t async_bit = (uintptr_t)1 << 60;
  const uintptr_t pair_size = 2 * sizeof(uintptr_t);
  if (high < pair_size) return 0;
  // On an even word, which the comparison below needs: a stack that a program gave a thread may end
  // anywhere.
  const uintptr_t last = (high - pair_size) & ~(uintptr_t)(sizeof(uintptr_t) - 1);
  if (frame <= low || frame > last || frame % sizeof(uintptr_t) != 0) return 0;
  // Steps to the end of the stack. One comparison tells that a frame lies above the one before it,
  // within the stack and on an even word: what is past the end, or has odd bits, which go to the
  // top here, is more steps away than any before.
  uintptr_t left = interlock_words_between(frame, last);
  size_t count = 0;
  while (count < limit) {
    const uintptr_t *pair = (const uintptr_t *)frame;
    uintptr_t address = pair[1];
    if (address < 4096) break;
    // Relaxed: another thread may look at the record while it is being reused, and then drops what
    // it read.
    __atomic_store_n(&frames[count++], address, __ATOMIC_RELAXED);
    frame = pair[0];
    uintptr_t fewer = interlock_words_between(frame, last);
    if (fewer >= left) {
      // The end, mostly.
      frame &= ~async_bit;
      fewer = interlock_words_between(frame, last);
      if (fewer >= left) break;
    }
    left = fewer;
  }
  return count;
}

/// The same from the caller's own frame.
static inline __attribute__((always_inline)) size_t interlock_walk_frames(
    uintptr_t *frames, size_t limit, uintptr_t low, uintptr_t high) {
  return interlock_walk_frames_from((uintptr_t)__builtin_frame_address(0), frames, limit, low, high);
}

/// The caller's stack by the system's unwinder, which needs no frame pointers and costs about a
/// microsecond.
size_t interlock_unwind_frames(uintptr_t *frames, size_t limit);

/// The bounds of the calling thread's stack; both 0 where the system does not tell.
void interlock_stack_bounds(uintptr_t *low, uintptr_t *high);

/// The calling thread's number in the system.
uint64_t interlock_thread_number(void);

/// How often a library has been loaded so far; 0 where the system does not tell.
uint64_t interlock_libraries_loaded(void);

/// Writes all of it to standard error, whatever signal comes.
void interlock_write_error(const char *bytes, size_t length);

/// Ends the process as a failed assertion does.
void interlock_trap(void) __attribute__((noreturn));

/// Ends the process with this code while handlers of `exit` run: the handlers that are left still
/// run.
void interlock_exit_from_handler(int code);

#ifdef __cplusplus
}
#endif

#endif
