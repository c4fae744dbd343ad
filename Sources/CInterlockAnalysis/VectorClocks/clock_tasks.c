// The clocks of tasks. A task is a logical thread: it has a clock of its own, which its parts
// update on whichever threads they run, and a slot, if one is free when it begins. Otherwise each
// part uses the slot of its thread, with a first count of its own. The thread's earlier code is
// then not ordered before the part, and another thread that learns of the part seems to have learnt
// of the thread's earlier parts too. That may hide a race and never makes one.
//
// The runtime runs the parts of a task one after another, so a part needs no lock to change the
// clock. `lock` guards the changes that both the end of one part and the beginning of the next
// make. No call shows the end of a part that waits: either its thread finds it over at its next
// call, or the thread that runs the next part ends it.
#include "../hash_table.h"
#include "../thread_record.h"

#include <stddef.h>
#include <sys/mman.h>

enum { list_count = 1 << 12, together = 64, most_tasks = 1 << 16, most_actors = 8 };

typedef struct task_clock {
  /// The key is the task.
  table_entry entry;
  int lock;
  /// The thread that runs a part, or has run the last part; NULL once the end of the part was
  /// noted.
  thread_record *holder;
  /// The clock of that thread below the part.
  thread_clock *outer;
  bool has_ended, has_slot, is_listed;
  /// The count at which the task ended, if it has a slot. A task that awaits it learns the count.
  uint64_t end_count;
  /// The actors, and other serial executors, on which the part runs. More than one while it
  /// switches, or in an isolated deinitialiser.
  uintptr_t actors[most_actors];
  uint32_t actor_count;
  thread_clock own;
} task_clock;

static hash_table tasks;
static uint32_t tasks_made;

// The clocks of ended tasks. Other tasks may still await them, and nothing shows when the last one
// has. The oldest are forgotten.
enum { most_ended = 1 << 12 };
static uintptr_t ended[most_ended];
static uint32_t ended_count;

/// The caller holds the table's lock.
static task_clock *take_free(void) {
  if (!tasks.free && tasks.used == tasks.most && tasks_made < most_tasks) {
    void *memory = mmap(NULL, together * sizeof(task_clock), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
      tasks_made += together;
      tasks.entries = memory;
      tasks.used = 0;
      tasks.most = together;
    }
  }
  return (task_clock *)table_take(&tasks);
}

static task_clock *make(uintptr_t task) {
  take(&tasks.lock);
  task_clock *made = take_free();
  give(&tasks.lock);
  if (!made) {
    interlock_clocks_lose_sight("there were more than 65536 tasks at a time");
    return NULL;
  }
  thread_clock *own = &made->own;
  memset(own, 0, offsetof(thread_clock, clock));
  clock_clear(&own->clock);
  own->task = task;
  own->of_task = made;
  own->jobs = 1;
  made->holder = NULL;
  made->has_ended = false;
  made->actor_count = 0;
  made->has_slot = false;
  own->slot = most_slots;
  interlock_clock_renew_number(own);
  take(&tasks.lock);
  made->is_listed = true;
  table_add(&tasks, &made->entry, task);
  give(&tasks.lock);
  return made;
}

/// The caller holds the task's lock, unless the task is new.
static void unlist(task_clock *task) {
  take(&tasks.lock);
  if (task->is_listed) table_remove(&tasks, &task->entry);
  task->is_listed = false;
  give(&tasks.lock);
}

static void remember_ended(uintptr_t task) {
  take(&tasks.lock);
  uintptr_t *oldest = &ended[ended_count++ % most_ended];
  uintptr_t forgotten = *oldest;
  *oldest = task;
  // Another task may live at that address by now.
  if (forgotten && table_find(&tasks, forgotten)) forgotten = 0;
  give(&tasks.lock);
  if (forgotten && forgotten != task) interlock_clock_forget(forgotten, AS_TASK);
}

static void let_go(task_clock *task) {
  uintptr_t address = task->own.task;
  unlist(task);
  interlock_clock_forget_snapshots(&task->own);
  if (task->has_slot) interlock_clock_give_slot(task->own.slot, task->end_count);
  give(&task->lock);
  take(&tasks.lock);
  table_give(&tasks, &task->entry);
  give(&tasks.lock);
  remember_ended(address);
}

/// Ends a part: the code that its actors run next comes after it. The caller holds the task's lock.
static void end_part(task_clock *task) {
  for (uint32_t index = 0; index < task->actor_count; index++) {
    interlock_clock_pass(&task->own, task->actors[index], AS_ACTOR, false);
  }
  task->actor_count = 0;
  interlock_clock_leaves_locals(task->holder, &task->own);
  task->holder = NULL;
}

/// Finds the clock of a task that is about to run, with its lock taken; NULL if there is none.
static task_clock *take_task(uintptr_t task) {
  task_clock *found = (task_clock *)table_find(&tasks, task);
  if (!found) return NULL;
  take(&found->lock);
  if (found->entry.key == task && !found->has_ended) {
    if (found->holder) end_part(found);
    return found;
  }
  // The ending thread of an earlier task at this address has not removed its entry yet.
  if (found->entry.key == task) unlist(found);
  give(&found->lock);
  return NULL;
}

/// Lets a task, or a part of it, run with a slot. The slot's earlier code comes before it as far as
/// the clock has learnt of that code.
static void use_slot(thread_clock *own, uint32_t slot) {
  own->slot = slot;
  own->seen_own = own->clock.counts[own->slot];
  clock_count_on(own);
  own->first_count = own->clock.counts[own->slot];
  own->lock = 0;
  interlock_clock_renew_number(own);
}

void interlock_clock_task_begins(thread_record *record, uintptr_t task, bool is_known) {
  thread_clock *outer = record->clock;
  interlock_clock_leaves_locals(record, outer);
  task_clock *found = take_task(task);
  bool is_new = !found;
  if (is_new && !(found = make(task))) return;
  thread_clock *own = &found->own;
  found->holder = record;
  found->outer = outer;
  if (!is_new) give(&found->lock);
  bool has_edge = false;
  if (is_new) {
    // Before the slot is chosen, which depends on the code that comes before the task.
    has_edge = interlock_clock_get(own, task, AS_TASK, false, false);
    uint32_t slot = interlock_clock_take_slot(&own->clock);
    found->has_slot = slot < most_slots;
    if (found->has_slot) use_slot(own, slot);
  }
  if (!found->has_slot) use_slot(own, record->base->slot);
  if (!is_new) has_edge = interlock_clock_get(own, task, AS_TASK, false, false);
  if (!is_known || (is_new && !has_edge)) interlock_clock_know_all(own);
  if (swift_task_getCurrentExecutor) {
    uintptr_t actor = swift_task_getCurrentExecutor().identity;
    if (actor) {
      interlock_clock_get(own, actor, AS_ACTOR, false, false);
      interlock_clock_task_comes(own, actor);
    }
  }
  if (outer->calls > 0) {
    clock_learn(own, &outer->clock);
    clock_count_on(outer);
  }
  record->clock = own;
  // The job's `BEGIN` came before the task's clock was known.
  see_main(record);
  note_clock_change(record);
}

/// Ends the thread's part of a task. `follows`: the code that the thread runs next without a task
/// comes after the part.
static void leave(thread_record *record, bool follows) {
  task_clock *task = record->clock->of_task;
  thread_clock *outer = task->outer;
  note_clock_change(record);
  take(&task->lock);
  bool is_holder = task->holder == record;
  if (!is_holder) {
    // The task's next part may have begun, or ended, on another thread.
    give(&task->lock);
    record->clock = record->caller ? record->caller : record->base;
    if (record->caller || follows) interlock_clock_know_all(record->clock);
    return;
  }
  record->clock = outer;
  end_part(task);
  if (follows || outer->calls > 0) clock_learn(outer, &task->own.clock);
  if (task->has_ended) {
    let_go(task);
  } else {
    give(&task->lock);
  }
}

void interlock_clock_task_leaves(thread_record *record) { leave(record, false); }

bool interlock_clock_task_has_begun(uintptr_t task) {
  const task_clock *found = (const task_clock *)table_find(&tasks, task);
  return found && !found->has_ended;
}

void interlock_clock_calls(thread_record *record, thread_clock *own) {
  if (own->calls++ > 0) return;
  own->outer_caller = record->caller;
  record->caller = own;
}

void interlock_clock_has_called(thread_record *record) {
  while (record->clock->of_task && record->clock->calls == 0) interlock_clock_task_leaves(record);
  thread_clock *own = record->clock;
  if (own->calls == 0 || --own->calls > 0) return;
  record->caller = own->outer_caller;
}

thread_clock *interlock_clock_now(thread_record *record, bool leaves) {
  thread_clock *own = record->clock;
  while (own->of_task && own->calls == 0) {
    uintptr_t current = current_task(record);
    if (current == own->task) return own;
    // Relaxed: only this thread stores itself, and another thread clears it.
    bool is_over = __atomic_load_n(&own->of_task->holder, __ATOMIC_RELAXED) != record;
    // While the runtime takes the task off the thread, the runtime's code is part of the task.
    if (!leaves && !is_over && (!current || current != own->of_task->outer->task)) return own;
    interlock_clock_task_leaves(record);
    own = record->clock;
  }
  return own;
}

thread_clock *interlock_clock_without_task(thread_record *record) {
  // Code that the runtime calls while it takes a task off the thread, such as the `enqueue` of a
  // custom executor, has no task either.
  while (record->clock->of_task && record->clock->calls == 0) leave(record, true);
  return record->clock;
}

void interlock_clock_task_comes(thread_clock *own, uintptr_t actor) {
  task_clock *task = own->of_task;
  if (!task) return;
  if (task->actor_count < most_actors) {
    task->actors[task->actor_count++] = actor;
  } else {
    interlock_clocks_lose_sight("a task came to more than 8 actors inside each other");
  }
}

bool interlock_clock_task_goes(thread_clock *own, uintptr_t actor) {
  task_clock *task = own->of_task;
  if (!task) return true;
  for (uint32_t index = task->actor_count; index-- > 0;) {
    if (task->actors[index] != actor) continue;
    // Without a task, the runtime leaves the actor after the last of its jobs.
    if (own->calls == 0 && !current_task(own_record())) return false;
    task->actors[index] = task->actors[--task->actor_count];
    return true;
  }
  return true;
}

void interlock_clock_task_ends(thread_clock *own) {
  task_clock *task = own->of_task;
  if (!task) return;
  task->has_ended = true;
  // The release at the end has begun a new epoch.
  task->end_count = own->clock.counts[own->slot] - 1;
}

bool interlock_clock_tasks_prepare(void) {
  void *memory = mmap(NULL, list_count * sizeof *tasks.lists, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  tasks = (hash_table){.lists = memory, .list_count = list_count, .size = sizeof(task_clock)};
  return true;
}

void interlock_clock_tasks_forked(void) { tasks.lock = 0; }
