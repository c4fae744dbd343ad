// Private layouts: one table of the layouts, their checks, and the features that are off if one
// differs. A check takes microseconds, and runs once, before a reader is added.
#include "layouts.h"
#include "../Dispatch/interpose_dispatch.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Queued blocks store a call site in 48 bits and their flags in the 16 above; a thread's number has
// 22 bits, as the kernel's largest has.
_Static_assert(INTERLOCK_FLAG_LAST < 1 << 16, "the flags of a queued block have 16 bits");

static bool check_addresses(ptrdiff_t shift) {
  // Samples of code of the executable and of a library, thread-local data, and a stack. Above 48
  // bits, the system maps only memory that a program asks for there.
  uintptr_t addresses[] = {(uintptr_t)check_addresses, (uintptr_t)&errno, (uintptr_t)dlsym,
                           (uintptr_t)__builtin_frame_address(0)};
  uintptr_t all = 0;
  for (size_t index = 0; index < sizeof addresses / sizeof *addresses; index++) {
    all |= addresses[index];
  }
  return all << shift >> 48 == 0;
}

static int read_int(const void *object, size_t offset, ptrdiff_t shift) {
  int value;
  memcpy(&value, (const char *)object + offset + shift, sizeof value);
  return value;
}

/// Returns the kind of a mutex made with this type and robustness; -1 if it cannot be made.
static int kind_of_mutex(int type, int robustness, ptrdiff_t shift) {
  // With room beside the mutex, which a shifted check reads.
  struct {
    pthread_mutex_t mutex;
    char room[16];
  } made;
  memset(&made, 0, sizeof made);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robustness);
  int kind = -1;
  if (pthread_mutex_init(&made.mutex, &attributes) == 0) {
    kind = read_int(&made.mutex, offsetof(pthread_mutex_t, __data.__kind), shift);
    pthread_mutex_destroy(&made.mutex);
  }
  pthread_mutexattr_destroy(&attributes);
  return kind;
}

/// True if the words of the locks for the call site of their creation are 0 at first, and are not
/// changed.
static bool check_marks(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  uintptr_t *marks[] = {interlock_creation_mark(INTERLOCK_OBJECT_MUTEX, &mutex),
                        interlock_creation_mark(INTERLOCK_OBJECT_WRITE_LOCK, &lock)};
  bool matches = *marks[0] == 0 && *marks[1] == 0;
  *marks[0] = *marks[1] = UINTPTR_MAX;
  matches = matches && pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == EBUSY &&
            pthread_mutex_unlock(&mutex) == 0 && pthread_rwlock_wrlock(&lock) == 0 &&
            pthread_rwlock_tryrdlock(&lock) == EBUSY && pthread_rwlock_unlock(&lock) == 0;
  return matches && *marks[0] == UINTPTR_MAX && *marks[1] == UINTPTR_MAX;
}

static bool check_mutexes(ptrdiff_t shift) {
  enum { kinds = 127, robust = 16 };
  const size_t owner = offsetof(pthread_mutex_t, __data.__owner);
  const size_t lock = offsetof(pthread_mutex_t, __data.__lock);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int own = (int)interlock_thread_id();
  pthread_mutex_lock(&mutex);
  bool matches = read_int(&mutex, owner, shift) == own && read_int(&mutex, lock, shift) != 0;
  pthread_mutex_unlock(&mutex);
  matches = matches && read_int(&mutex, lock, shift) == 0;
  int recursive = kind_of_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, shift);
  return matches && check_marks() &&
         (kind_of_mutex(PTHREAD_MUTEX_DEFAULT, PTHREAD_MUTEX_STALLED, shift) & kinds) ==
             PTHREAD_MUTEX_TIMED_NP &&
         (recursive & kinds) != PTHREAD_MUTEX_TIMED_NP && !(recursive & robust) &&
         (kind_of_mutex(PTHREAD_MUTEX_DEFAULT, PTHREAD_MUTEX_ROBUST, shift) & robust);
}

// One-time initialisation.

/// A token between words that stay 0; `first` and `second` are its contents while its initialiser
/// ran.
typedef struct {
  int words[8];
  int first, second;
} token;
enum { token_at = 4 };

/// True if this process is the child of a fork.
static bool was_forked;

static void note_holder(void *context) {
  token *token = context;
  token->first = token->words[token_at];
  token->second = token->words[token_at + 1];
}

static bool check_once(ptrdiff_t shift) {
  typedef void swift_call(int *, void (*)(void *), void *);
  typedef void dispatch_call(intptr_t *, void *, void (*)(void *));
  swift_call *run_swift = (swift_call *)interlock_find_real("swift_once");
  dispatch_call *run_dispatch = (dispatch_call *)interlock_find_real("dispatch_once_f");
  int own = (int)interlock_thread_id(), beside = (int)shift / (int)sizeof(int);
  // In the child of a fork both libraries continue to write the thread number from before the fork.
  bool any = was_forked;
  bool holds = true;
  // If the runtime is linked statically or is absent, Interlock defines the functions and the
  // layout.
  if (run_swift) {
    __attribute__((aligned(8))) token swift = {0};
    run_swift(&swift.words[token_at], note_holder, &swift);
    holds = swift.first == 0 && (swift.second == own || (any && swift.second > 0)) &&
            swift.words[token_at + beside] == -1;
  }
  if (run_dispatch) {
    __attribute__((aligned(8))) token dispatch = {0};
    run_dispatch((intptr_t *)&dispatch.words[token_at], &dispatch, note_holder);
    int holder = dispatch.first & 0x3fffffff;
    holds = holds && (holder == own || (any && holder > 0)) &&
            dispatch.words[token_at + beside] == -1 && dispatch.words[token_at + 1 + beside] == -1;
  }
  // The value for done is unknown, so always ask the runtime.
  if (!holds) interlock_once_done = INT_MIN;
  return holds;
}

static bool check_blocks(ptrdiff_t shift) {
  typedef void *create(unsigned long, block_t);
  create *make = (create *)interlock_find_real("dispatch_block_create");
  if (!make) return true;
  if (!&_dispatch_block_special_invoke) return false;
  bool holds = true;
  for (unsigned long barrier = 0; barrier <= 1 && holds; barrier++) {
    char *block = make(barrier, ^{});
    if (!block) return false;
    const struct block_layout *layout = (const struct block_layout *)(block + shift);
    holds = layout->invoke == _dispatch_block_special_invoke &&
            has_work_item_magic(layout) && is_barrier_item(layout) == (barrier == 1) &&
            group_of_work_item(layout) && runs_of_work_item(layout) == 0;
    if (holds) call_block(block);
    holds = holds && runs_of_work_item(layout) == 1;
    _Block_release(block);
  }
  return holds;
}

static bool check_hash_tables(ptrdiff_t shift) {
  if (!&_swift_stdlib_Hashing_parameters) return true;
  struct {
    // `by_size` is the whole word of the flag: the bytes behind the flag are 0.
    uint64_t seeds[2], by_size;
  } found;
  memcpy(&found, (const char *)&_swift_stdlib_Hashing_parameters + shift, sizeof found);
  bool has_seeds = found.seeds[0] || found.seeds[1];
  return found.by_size == (has_seeds ? 0 : 1);
}

// The table.

#define UNKNOWN(what) "the layout of " what " differs from the known one"

static const struct {
  const char *lost;
  /// NULL for a layout that is checked at first use.
  bool (*check)(ptrdiff_t);
  const char *off;
} layouts[] = {
    [INTERLOCK_LAYOUT_ADDRESS] = {UNKNOWN("addresses"), check_addresses, "no call is seen"},
    [INTERLOCK_LAYOUT_MUTEX] = {UNKNOWN("mutexes"), check_mutexes, "no call is seen"},
    [INTERLOCK_LAYOUT_BLOCK] = {UNKNOWN("work items"), check_blocks, "no call is seen"},
    [INTERLOCK_LAYOUT_ONCE] = {UNKNOWN("initialisers that run once"), check_once,
                               "these are not seen, and nothing is predicted"},
    [INTERLOCK_LAYOUT_QUEUE] = {UNKNOWN("queues"), interlock_check_queues,
                                "their targets are not seen, and nothing is predicted"},
    [INTERLOCK_LAYOUT_ROOT] = {UNKNOWN("root queues"), interlock_check_roots,
                               "the order of blocks that a queue has held back is not known"},
    [INTERLOCK_LAYOUT_MOMENT] = {UNKNOWN("times of Dispatch"), interlock_check_moments,
                                 "when a delayed block is due is not known"},
    [INTERLOCK_LAYOUT_CONTEXT] = {UNKNOWN("asynchronous calls"), NULL,
                                  "awaits are not seen, and the order of sections is unknown"},
    [INTERLOCK_LAYOUT_TASK] = {UNKNOWN("tasks"), NULL,
                               "a task comes after everything so far at each await"},
    [INTERLOCK_LAYOUT_HASH_TABLE] = {UNKNOWN("hash tables"), check_hash_tables,
                                     "dictionaries have another order in each execution"},
};
enum { layout_count = sizeof layouts / sizeof *layouts };

int interlock_once_done = -1;

/// A bit for each layout that does not hold.
static uint32_t lost;

extern ptrdiff_t interlock_test_layout_shift(interlock_layout layout) __attribute__((weak));

ptrdiff_t interlock_layout_shift(interlock_layout layout) {
  return interlock_test_layout_shift ? interlock_test_layout_shift(layout) : 0;
}

bool interlock_layout_holds(interlock_layout layout) {
  // Relaxed: the checks at the start are noted before a reader is added.
  return !(__atomic_load_n(&lost, __ATOMIC_RELAXED) & 1u << layout);
}

bool interlock_layout_note(interlock_layout layout, bool holds) {
  if (holds) return true;
  uint32_t before = __atomic_fetch_or(&lost, 1u << layout, __ATOMIC_RELAXED);
  if (before & 1u << layout) return false;
  char line[256];
  int length = snprintf(line, sizeof line, "interlock: %s: %s\n", layouts[layout].lost,
                        layouts[layout].off);
  // If it cannot be written, there is no place to report it.
  if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) return false;
  return false;
}

const char *interlock_layouts_lost(uint32_t among) {
  interlock_layouts_check();
  for (uint32_t layout = 0; layout < layout_count; layout++) {
    if (among & 1u << layout && !interlock_layout_holds(layout)) return layouts[layout].lost;
  }
  return NULL;
}

static void check_all(void) {
  interlock_marks.hidden++;
  int error = errno;
  for (uint32_t layout = 0; layout < layout_count; layout++) {
    if (!layouts[layout].check) continue;
    interlock_layout_note(layout, layouts[layout].check(interlock_layout_shift(layout)));
  }
  errno = error;
  interlock_marks.hidden--;
}

static int state;
enum { unchecked, checking, checked };

void interlock_layouts_check(void) {
  // Acquire: pairs with the release below, so that the results are seen.
  int found = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  // The C library sets `environ` once its constructors have run. The constructors of other
  // libraries follow at once.
  if (found == checked || !environ) return;
  if (found == unchecked &&
      __atomic_compare_exchange_n(&state, &found, checking, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    check_all();
    __atomic_store_n(&state, checked, __ATOMIC_RELEASE);
    return;
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != checked) give_way();
}

void interlock_queues_prepare(void) { interlock_layouts_check(); }

void interlock_layouts_forked(void) {
  was_forked = true;
  // A thread that was checking is not in the child.
  if (state == checking) state = unchecked;
}

#else
void interlock_queues_prepare(void) {}
const char *interlock_layouts_lost(uint32_t among) {
  (void)among;
  return NULL;
}
#endif
