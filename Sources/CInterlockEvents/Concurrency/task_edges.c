// Finds where the Swift runtime calls the functions that it has for ThreadSanitizer. In every
// build, the runtime makes such a call for each order between tasks, actors and continuations. A
// task of Interlock's, which ends at once, shows which of the calls begin and end a task.
#include "../Code/layouts.h"
#include "../Lives/task_lives.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && __has_attribute(swiftasynccall) && defined(__x86_64__)

typedef struct context {
  struct context *parent;
  void *resume;
} context;

#define ASYNC __attribute__((swiftasynccall))
typedef ASYNC void resume_call(__attribute__((swift_async_context)) context *,
                               __attribute__((swift_context)) void *error);

/// The calls that the runtime made for Interlock's task, on the thread that runs it.
static __thread struct {
  const void *task;
  uintptr_t run_place, end_place;
  bool has_run, ran_before_body;
} learnt;

static void note_acquire(const void *object) {
  if (object != learnt.task || learnt.run_place) return;
  learnt.run_place = (uintptr_t)__builtin_return_address(0);
}

static void note_release(const void *object) {
  if (object != learnt.task || learnt.end_place || !learnt.has_run) return;
  learnt.end_place = (uintptr_t)__builtin_return_address(0);
}

__attribute__((used)) ASYNC static void run_body(
    __attribute__((swift_async_context)) context *context,
    __attribute__((swift_context)) void *closure) {
  (void)closure;
  learnt.has_run = true;
  learnt.ran_before_body = learnt.run_place != 0;
  resume_call *resume = (resume_call *)context->resume;
  __attribute__((musttail)) return resume(context, NULL);
}

/// The record of an asynchronous function: the distance to its code, and its context's size.
__asm__(".pushsection .rodata\n .p2align 3\n interlock_edge_body:\n"
        ".long run_body - interlock_edge_body\n .long 64\n .popsection");
extern const char interlock_edge_body[] HIDDEN;

typedef struct {
  void *task, *context;
} made_task;
typedef struct {
  uintptr_t identity, implementation;
} executor;

static bool run_own_task(interlock_task_edges *edges) {
  typedef __attribute__((swiftcall)) made_task create(size_t, void *, const void *, const void *,
                                                      void *);
  typedef __attribute__((swiftcall)) void run(void *, executor);
  create *make = (create *)interlock_find_real("swift_task_create");
  run *start = (run *)interlock_find_real("swift_job_run");
  // The symbol's address is that of the value witnesses; the metadata is one word behind it.
  const char *no_result = dlsym(RTLD_DEFAULT, "$sytN");
  if (!make || !start || !no_result) return false;
  learnt.run_place = learnt.end_place = 0;
  learnt.has_run = learnt.ran_before_body = false;
  made_task made = make(0, NULL, no_result + sizeof(uintptr_t), interlock_edge_body, NULL);
  learnt.task = made.task;
  edges->metadata = *(const uintptr_t *)made.task;
  *edges->acquire = note_acquire;
  *edges->release = note_release;
  start(made.task, (executor){0});
  *edges->acquire = *edges->release = NULL;
  learnt.task = NULL;
  ptrdiff_t shift = interlock_layout_shift(INTERLOCK_LAYOUT_TASK);
  edges->run_place = learnt.run_place + (uintptr_t)shift;
  edges->end_place = learnt.end_place;
  return shift == 0 && learnt.ran_before_body && learnt.end_place;
}

static bool learn(interlock_task_edges *edges) {
  // Without the runtime there are no tasks.
  if (!interlock_find_real("swift_task_create")) return false;
  edges->acquire = (interlock_edge_function **)dlsym(RTLD_DEFAULT, "_swift_tsan_acquire");
  edges->release = (interlock_edge_function **)dlsym(RTLD_DEFAULT, "_swift_tsan_release");
  bool is_free = edges->acquire && edges->release && !*edges->acquire && !*edges->release;
  return interlock_layout_note(INTERLOCK_LAYOUT_TASK, is_free && run_own_task(edges));
}

/// The facts about the runtime, learnt once for the vector clocks and for the ends of tasks.
static interlock_task_edges known;
static enum { UNLEARNT, LEARNING, LEARNT, DIFFERENT } state;

static bool is_learnt(void) {
  int found = UNLEARNT;
  // Acquire: pairs with the release below, so that `known` is seen.
  if (__atomic_compare_exchange_n((int *)&state, &found, LEARNING, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    found = learn(&known) ? LEARNT : DIFFERENT;
    __atomic_store_n((int *)&state, found, __ATOMIC_RELEASE);
  }
  while (found == LEARNING) {
    give_way();
    found = __atomic_load_n((int *)&state, __ATOMIC_ACQUIRE);
  }
  return found == LEARNT;
}

// The ends of tasks (task_lives.c) share the runtime's variable with the vector clocks.

/// The vector clocks' function while the ends are followed; NULL if the clocks have none.
static interlock_edge_function *clocks_release;
static bool follows_ends;

static void note_end(const void *object) {
  if ((uintptr_t)__builtin_return_address(0) == known.end_place && interlock_follows_lives) {
    interlock_life_ends((uintptr_t)object);
  }
  // Acquire: pairs with the release in the vector clocks.
  interlock_edge_function *next = __atomic_load_n(&clocks_release, __ATOMIC_ACQUIRE);
  // A jump, because the vector clocks read the return address too.
  if (next) __attribute__((musttail)) return next(object);
}

bool interlock_learn_task_edges(interlock_task_edges *edges) {
  if (!is_learnt()) return false;
  *edges = known;
  // Acquire: pairs with the release in `interlock_follow_task_ends`.
  if (__atomic_load_n(&follows_ends, __ATOMIC_ACQUIRE)) edges->release = &clocks_release;
  return true;
}

bool interlock_follow_task_ends(void) {
  static int lock;
  if (!is_learnt()) return false;
  take(&lock);
  if (!follows_ends) {
    clocks_release = *known.release;
    __atomic_store_n(&follows_ends, true, __ATOMIC_RELEASE);
    // Release: pairs with the dependency of the runtime's call on the pointer.
    __atomic_store_n(known.release, note_end, __ATOMIC_RELEASE);
  }
  give(&lock);
  return true;
}

#else
bool interlock_learn_task_edges(interlock_task_edges *edges) {
  (void)edges;
  return false;
}
bool interlock_follow_task_ends(void) { return false; }
#endif
#endif
