// The tasks that explored threads make.
#include "../Awaits/await_ends.h"
#include "controlled_tasks.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))

// The end of a task: its first function returns into the runtime.

void interlock_explored_task_made(interlock_made_task made, interlock_async_context *context) {
  pending_await *entry =
      interlock_is_code(context->resume)
          ? interlock_await_put((uintptr_t)context, context->resume, TASK_END) : NULL;
  made.has_end = entry != NULL;
  interlock_tasks->made(made);
  if (!entry) return;
  entry->task = made.task;
  context->resume = (uintptr_t)interlock_await_ended;
}

/// Offsets in the runtime's task: its kind, and the context with which it resumes, at first its
/// first context.
enum { at_kind = 32, kind_mask = 0xff, task_kind = 0, at_context = 64 };

static uintptr_t context_of(uintptr_t task) { return *(const uintptr_t *)(task + at_context); }
static bool is_task(uintptr_t job) {
  return (*(const uint32_t *)(job + at_kind) & kind_mask) == task_kind;
}

void interlock_explored_let_made(uintptr_t job, uintptr_t parent) {
  if (!job) return;
  interlock_async_context *context = (interlock_async_context *)context_of(job);
  if (!is_task(job) || !context || interlock_is_code((uintptr_t)context)) return;
  interlock_explored_task_made((interlock_made_task){.task = job, .parent = parent}, context);
}

// The calls that make tasks and have not returned.

void interlock_making_begins(interlock_making *making) {
  making->before = *interlock_tasks->makings;
  *interlock_tasks->makings = making;
}

bool interlock_making_ends(interlock_making *making, uintptr_t task) {
  interlock_making **head = interlock_tasks->makings, **at = head;
  while (*at && *at != making) at = &(*at)->before;
  if (*at) *at = making->before;
  uintptr_t other = making->made.task;
  if (other == task && task) return true;
  // Two similar calls may have got each other's tasks. Give this call's other task to the call that
  // has this task; if there is none, to any call without a task.
  interlock_making *holder = *head;
  while (holder && holder->made.task != task) holder = holder->before;
  bool is_known = holder && task;
  if (!is_known && other) {
    for (holder = *head; holder && holder->made.task; holder = holder->before) {}
  }
  if (holder && (is_known || other)) holder->made.task = other;
  return is_known;
}

/// The runtime's storage of an `async let` begins with the parent's record of its child, whose
/// third word is the child. The fourth word is the child again, with flags in the bits below its
/// alignment.
enum { let_child = 2, let_task = 3, task_alignment = 16 };

/// True if the call makes the task: the task's closure is among the words before its first context.
static bool makes(const interlock_making *making, uintptr_t task) {
  enum { most_words = 6 };
  if (making->let) return ((const uintptr_t *)making->let)[let_child] == task;
  const uintptr_t *context = (const uintptr_t *)context_of(task);
  bool has_closure = false;
  for (int word = 1; word <= most_words; word++) has_closure |= context[-word] == making->closure;
  return has_closure;
}

static bool are_alike(const interlock_made_task *one, const interlock_made_task *other) {
  return one->parent == other->parent && one->group == other->group &&
         one->has_destructor == other->has_destructor &&
         one->is_discarding == other->is_discarding;
}

void interlock_explored_part_begins(uintptr_t job) {
  if (!*interlock_tasks->makings || !is_task(job)) return;
  if (!interlock_tasks->is_outside(job, false)) return;
  interlock_making *found = NULL;
  for (interlock_making *making = *interlock_tasks->makings; making; making = making->before) {
    if (making->made.task == job) return;
    if (making->made.task || !makes(making, job)) continue;
    if (found && !are_alike(&found->made, &making->made)) {
      interlock_posix->escaped("a task on a custom executor that begins while it is made");
      return;
    }
    found = making;
  }
  if (!found) return;
  found->made.task = job;
  interlock_explored_task_made(found->made, (interlock_async_context *)context_of(job));
}

uintptr_t interlock_task_of_let(const void *let, uintptr_t parent) {
  const uintptr_t *words = let;
  uintptr_t task = words[let_child];
  bool is_one = task && task % task_alignment == 0 && words[let_task] - task < task_alignment;
  if (!is_one || !parent) return 0;
  // All tasks have the same class.
  bool is_of_class = *(const uintptr_t *)task == *(const uintptr_t *)parent;
  return is_of_class && is_task(task) ? task : 0;
}

#endif
#endif
