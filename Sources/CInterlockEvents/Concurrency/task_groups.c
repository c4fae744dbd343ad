// The origin of tasks: the parent of each task in a task group, so that a report can name the tasks
// for which a parent waits; and the call sites that made the last tasks.
#include "../Awaits/interpose_awaits.h"

#ifdef INTERLOCK_INTERPOSES

/// Tasks with the same hash overwrite each other, and a report cannot name a cycle through a lost
/// entry. The entry of an ended task stays until another task is made at its address.
typedef struct {
  int lock;
  uintptr_t child, parent;
} family;

enum { family_count = 1 << 13 };
static family families[family_count];

static family *take_family(uintptr_t child) {
  family *found = &families[(size_t)(child * 0x9e3779b97f4a7c15ull >> 40) % family_count];
  take(&found->lock);
  return found;
}

uintptr_t interlock_group_of(const interlock_task_option *option) {
  enum { kind_bits = 0xff, group_kind = 1, most_options = 16 };
  for (int count = 0; option && count < most_options; count++, option = option->next) {
    // The group follows the head of the option.
    if ((option->flags & kind_bits) == group_kind) return *(const uintptr_t *)(option + 1);
  }
  return 0;
}

/// The tasks with one hash. A new task replaces the oldest.
typedef struct {
  int lock;
  uint32_t next;
  struct {
    uintptr_t task;
    interlock_task_place place;
  } tasks[4];
} makers;

enum { maker_count = 1 << 13 };
static makers maker_table[maker_count];

/// Takes the lock of the tasks with one hash. Returns NULL if another thread holds it: in the child
/// of a fork, that thread may never release it.
static makers *take_makers(uintptr_t task) {
  makers *found = &maker_table[(size_t)(task * 0x9e3779b97f4a7c15ull >> 40) % maker_count];
  // Signals wait until `end_change`, as in `take`.
  begin_change();
  // Acquire: pairs with the release in `give_makers`.
  if (!__atomic_exchange_n(&found->lock, 1, __ATOMIC_ACQUIRE)) return found;
  end_change();
  return NULL;
}

static void give_makers(makers *taken) {
  __atomic_store_n(&taken->lock, 0, __ATOMIC_RELEASE);
  end_change();
}

/// Returns the index of a task among those with its hash; their number if the task is not among
/// them.
static size_t index_among(const makers *makers, uintptr_t task) {
  size_t index = 0;
  while (index < sizeof makers->tasks / sizeof *makers->tasks &&
         makers->tasks[index].task != task) {
    index++;
  }
  return index;
}

void interlock_note_maker(uintptr_t task, interlock_task_place place) {
  makers *makers = task ? take_makers(task) : NULL;
  if (!makers) return;
  size_t count = sizeof makers->tasks / sizeof *makers->tasks;
  size_t index = index_among(makers, task);
  if (index == count) index = makers->next++ % count;
  makers->tasks[index].task = task;
  makers->tasks[index].place = place;
  give_makers(makers);
}

interlock_task_place interlock_waits_task_maker(uintptr_t task) {
  interlock_task_place place = {0};
  makers *makers = take_makers(task);
  if (!makers) return place;
  size_t index = index_among(makers, task);
  if (index < sizeof makers->tasks / sizeof *makers->tasks) place = makers->tasks[index].place;
  give_makers(makers);
  return place;
}

void interlock_child_made(uintptr_t child, uintptr_t parent) {
  family *family = take_family(child);
  if (parent) {
    family->child = child;
    family->parent = parent;
  } else if (family->child == child) {
    family->child = family->parent = 0;
  }
  give(&family->lock);
}

uintptr_t interlock_waits_parent(uintptr_t task) {
  family *family = take_family(task);
  uintptr_t parent = family->child == task ? family->parent : 0;
  give(&family->lock);
  return parent;
}

#else
interlock_task_place interlock_waits_task_maker(uintptr_t task) {
  (void)task;
  return (interlock_task_place){0};
}

uintptr_t interlock_waits_parent(uintptr_t task) {
  (void)task;
  return 0;
}
#endif
