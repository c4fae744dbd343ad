// The calls of Swift Concurrency that suspend a task until its continuation is resumed, and that
// make tasks and actors. The jobs of tasks arrive as Dispatch blocks (interpose_dispatch_async.c).
#include "controlled_tasks.h"
#include "../Code/layouts.h"
#include "../Lives/task_lives.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall)

#define SWIFT_CALL __attribute__((swiftcall))

static void publish(interlock_event_kind kind, const void *task, uintptr_t place, uintptr_t outer) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_CONTINUATION,
                           .object = task,
                           .other = (const void *)outer,
                           .place = place};
  interlock_publish(&event);
}

/// Takes its arguments in the registers of the runtime's function: the context of the wait, and
/// flags. Returns the task.
INTERPOSED SWIFT_CALL void *swift_continuation_init(interlock_async_context *context,
                                                    uintptr_t flags) {
  typedef SWIFT_CALL void *init(interlock_async_context *, uintptr_t);
  if (is_task_explored()) {
    interlock_ask_task(INTERLOCK_TASK_CALL_MAKE_CONTINUATION, 0, THIS_SITE);
  }
  // Intercepted here, not at the await: by then the runtime has read the resume address.
  bool is_met = !is_wanted(INTERLOCK_EVENT_TASK | INTERLOCK_EVENT_CREATE) ||
                interlock_await_begins(context);
  void *task = REAL(init, swift_continuation_init)(context, flags);
  if (is_wanted(INTERLOCK_EVENT_CREATE)) {
    // In debug builds the user's code calls `withUnsafeContinuation` as a function.
    bool has_parent = interlock_layout_holds(INTERLOCK_LAYOUT_CONTEXT) && context->parent;
    publish(INTERLOCK_EVENT_CREATE, task, USER_PLACE, has_parent ? context->parent->resume + 1 : 0);
  }
  if (!is_met) publish_task(INTERLOCK_TASK_LOST, (uintptr_t)task);
  return task;
}

INTERPOSED SWIFT_CALL void swift_continuation_resume(void *task) {
  typedef SWIFT_CALL void resume(void *);
  if (is_task_explored())
    interlock_ask_task(INTERLOCK_TASK_CALL_RESUME, (uintptr_t)task, THIS_SITE);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, task, USER_PLACE, 0);
  REAL(resume, swift_continuation_resume)(task);
}

INTERPOSED SWIFT_CALL void swift_continuation_throwingResume(void *task) {
  typedef SWIFT_CALL void resume(void *);
  if (is_task_explored())
    interlock_ask_task(INTERLOCK_TASK_CALL_RESUME, (uintptr_t)task, THIS_SITE);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, task, USER_PLACE, 0);
  REAL(resume, swift_continuation_throwingResume)(task);
}

INTERPOSED SWIFT_CALL void swift_continuation_throwingResumeWithError(void *task, void *error) {
  typedef SWIFT_CALL void resume(void *, void *);
  if (is_task_explored())
    interlock_ask_task(INTERLOCK_TASK_CALL_RESUME, (uintptr_t)task, THIS_SITE);
  if (is_wanted(INTERLOCK_EVENT_RELEASE)) publish(INTERLOCK_EVENT_RELEASE, task, USER_PLACE, 0);
  REAL(resume, swift_continuation_throwingResumeWithError)(task, error);
}

// The creation of tasks.

/// The runtime's result: the task and its first context.
typedef struct {
  void *task, *context;
} made_task;

/// Some of the runtime's flags of task creation, which are part of its ABI.
enum {
  is_child_flag = 1 << 8,
  copies_locals_flag = 1 << 10,
  enqueues_flag = 1 << 12,
  is_discarding_flag = 1 << 14,
};

/// True if values of the type must be destroyed: the flags are the 11th word of the value witness
/// table, to which the word before the metadata points (ABI). NULL is the type of no value.
static bool has_destructor(const void *type) {
  enum { at_flags = 10, is_not_plain = 0x10000 };
  if (!type) return false;
  const uintptr_t *functions = ((const uintptr_t *const *)type)[-1];
  return (uint32_t)functions[at_flags] & is_not_plain;
}

/// Marks that the thread makes a task. Returns the marks of the outer call that makes a task.
static interlock_task_maker begin_making(uintptr_t returns_to, uintptr_t frame) {
  interlock_task_maker outer = interlock_marks.maker;
  interlock_marks.maker = (interlock_task_maker){returns_to, frame};
  interlock_marks.makes_task++;
  return outer;
}

static void end_making(interlock_task_maker outer) {
  interlock_marks.maker = outer;
  interlock_marks.makes_task--;
}

/// Returns the call site of a call, and its caller.
static interlock_task_place place_of(uintptr_t returns_to, uintptr_t frame) {
  uintptr_t place = interlock_user_place(returns_to, frame);
  return (interlock_task_place){
      place, place == returns_to ? interlock_events_outer(frame, returns_to) : 0};
}
#define THIS_PLACE place_of(RETURNS_TO, THIS_FRAME)

INTERPOSED SWIFT_CALL made_task swift_task_create(size_t flags, interlock_task_option *options,
                                                  const void *type, void *function, void *closure) {
  typedef SWIFT_CALL made_task create(size_t, interlock_task_option *, const void *, void *,
                                      void *);
  create *real = REAL(create, swift_task_create);
  bool is_explored = is_task_explored();
  if (is_explored) {
    interlock_ask_task(INTERLOCK_TASK_CALL_MAKE, 0, THIS_SITE);
    bool inherits = flags & (is_child_flag | copies_locals_flag);
    if (!inherits && interlock_tasks->gives_surroundings()) flags |= copies_locals_flag;
  }
  typedef SWIFT_CALL void *current(void);
  uintptr_t group = interlock_group_of(options);
  uintptr_t parent = group ? (uintptr_t)REAL(current, swift_task_getCurrent)() : 0;
  interlock_making making = {.closure = (uintptr_t)closure,
                             .made = {.parent = parent,
                                      .group = group,
                                      .has_destructor = has_destructor(type),
                                      .is_discarding = flags & is_discarding_flag}};
  if (is_explored) interlock_making_begins(&making);
  interlock_life_start life = {0};
  // Children are not followed, because a child ends before its parent does.
  if (interlock_follows_lives && !is_explored && !group && !(flags & is_child_flag)) {
    interlock_life_starts(&life, (uintptr_t)REAL(current, swift_task_getCurrent)());
  }
  interlock_task_maker outer = begin_making(RETURNS_TO, THIS_FRAME);
  made_task made = real(flags, options, type, function, closure);
  end_making(outer);
  if (life.is_followed) {
    bool is_known = life.enqueued == (uintptr_t)made.task;
    interlock_life_begins(&life, (uintptr_t)made.task,
                          is_known ? (interlock_task_place){0} : THIS_PLACE);
  }
  if (!(flags & enqueues_flag) && is_wanted(INTERLOCK_EVENT_TASK)) {
    publish_task(INTERLOCK_TASK_MADE, (uintptr_t)made.task);
  }
  if (is_explored || is_wanted(INTERLOCK_EVENT_TASK)) {
    uintptr_t task = (uintptr_t)made.task;
    interlock_child_made(task, parent);
    interlock_note_maker(task, THIS_PLACE);
    if (is_explored && !interlock_making_ends(&making, task)) {
      making.made.task = task;
      interlock_explored_task_made(making.made, made.context);
    }
  }
  return made;
}

INTERPOSED SWIFT_CALL void swift_asyncLet_begin(void *let, void *options, const void *type,
                                                void *function, void *closure, void *result) {
  typedef SWIFT_CALL void begin(void *, void *, const void *, void *, void *, void *);
  begin *real = REAL(begin, swift_asyncLet_begin);
  bool is_explored = is_task_explored();
  uintptr_t actor;
  interlock_making making = {.let = (uintptr_t)let};
  if (is_explored) {
    making.made.parent = interlock_running_task(&actor);
    interlock_making_begins(&making);
  }
  interlock_task_maker outer = begin_making(RETURNS_TO, THIS_FRAME);
  interlock_marks.made_job = 0;
  real(let, options, type, function, closure, result);
  end_making(outer);
  // 0 if no reader follows the tasks, or if the task's executor does not use Dispatch.
  uintptr_t task = interlock_marks.made_job;
  if (is_explored) {
    if (!task) task = interlock_task_of_let(let, making.made.parent);
    if (!interlock_making_ends(&making, task)) {
      interlock_explored_let_made(task, making.made.parent);
    }
    if (!task) interlock_posix->escaped("an async let on a custom executor");
  }
  if (!task) return;
  interlock_let_begins((uintptr_t)let, task);
  interlock_child_made(task, 0);
  interlock_note_maker(task, THIS_PLACE);
}

/// Records a new actor, at an address that another object may have had.
INTERPOSED SWIFT_CALL void swift_defaultActor_initialize(void *actor) {
  typedef SWIFT_CALL void initialize(void *);
  if (is_task_explored()) interlock_tasks->actor_made((uintptr_t)actor);
  if (is_wanted(INTERLOCK_EVENT_DESTROY)) {
    interlock_event event = {.kind = INTERLOCK_EVENT_DESTROY,
                             .object_kind = INTERLOCK_OBJECT_ACTOR,
                             .object = actor};
    interlock_publish(&event);
  }
  REAL(initialize, swift_defaultActor_initialize)(actor);
}

// The functions by which a user's own executor runs jobs. The runtime's executors call none of
// them.

/// A part of a task that a user's executor runs.
typedef struct {
  bool is_published, is_explored;
  uint32_t makes_task;
} part;

static part part_begins(const void *job, bool is_on_executor) {
  part part = {.is_published = is_wanted(INTERLOCK_EVENT_TASK),
               .is_explored = is_task_explored(),
               .makes_task = interlock_marks.makes_task};
  if (part.is_published) publish_task(INTERLOCK_TASK_RUNS, (uintptr_t)job);
  if (part.is_explored) {
    // The end of such a task is not seen.
    if (part.makes_task) {
      interlock_posix->escaped("an executor that runs a new task at once");
    } else {
      interlock_explored_part_begins((uintptr_t)job);
    }
    interlock_tasks->part_begins((uintptr_t)job, is_on_executor, part.makes_task > 0);
  }
  // Tasks that the part makes are not the task being made.
  interlock_marks.makes_task = 0;
  return part;
}

static void part_ends(part part) {
  interlock_marks.makes_task = part.makes_task;
  if (part.is_explored) interlock_tasks->part_ends();
  if (part.is_published) publish_task(INTERLOCK_TASK_RAN, 0);
}

INTERPOSED SWIFT_CALL void swift_job_run(void *job, executor on) {
  typedef SWIFT_CALL void run(void *, executor);
  run *real = REAL(run, swift_job_run);
  part part = part_begins(job, true);
  real(job, on);
  part_ends(part);
}

INTERPOSED SWIFT_CALL void swift_job_run_on_task_executor(void *job, executor on) {
  typedef SWIFT_CALL void run(void *, executor);
  run *real = REAL(run, swift_job_run_on_task_executor);
  part part = part_begins(job, true);
  real(job, on);
  part_ends(part);
}

INTERPOSED SWIFT_CALL void swift_job_run_on_serial_and_task_executor(void *job, executor serial,
                                                                     executor task) {
  typedef SWIFT_CALL void run(void *, executor, executor);
  run *real = REAL(run, swift_job_run_on_serial_and_task_executor);
  part part = part_begins(job, true);
  real(job, serial, task);
  part_ends(part);
}

/// Begins to run a new task on the thread that made the task.
INTERPOSED SWIFT_CALL void swift_task_immediate(void *task, executor on) {
  typedef SWIFT_CALL void run(void *, executor);
  run *real = REAL(run, swift_task_immediate);
  part part = part_begins(task, false);
  real(task, on);
  part_ends(part);
}

#endif
#endif
