// Task groups. A task that waits for the tasks of its group waits as for the end of a task. If the
// wait gives up nothing that other code can observe, an attempt that would come too early is left
// out.
//
// A group hands over its tasks' results in the order in which the tasks end. Until the code of an
// execution can see that order, the ends of the tasks only decrement a count.
#include "../Engine/engine.h"
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

typedef struct ended_task {
  uint32_t number;
  struct ended_task *next;
} ended_task;

struct interlock_task_group {
  /// The numbers of two objects: of the count of the group's tasks, and of the order of their ends.
  uint32_t number, order;
  /// The count of the group's tasks that have not ended, and the list of the ended tasks whose
  /// results no call has taken.
  uint32_t running;
  ended_task *first, *last;
  /// A waiting task takes the next result, or all further results: they do not join the list.
  bool takes_next, takes_all;
};

static interlock_task_group *group_at(uintptr_t address) {
  interlock_object *known = interlock_object_known((const void *)address);
  return known ? known->state : NULL;
}

/// An operation on the group's count. No notification is registered on a group of tasks.
static interlock_operation count_operation(interlock_operation_kind kind,
                                           const interlock_task_group *group) {
  interlock_operation operation = interlock_operation_of(kind, group->number, 0);
  operation.flags = INTERLOCK_OPERATION_NO_NOTIFICATION | INTERLOCK_OPERATION_BALANCED;
  return operation;
}

interlock_task_group *interlock_group_gains(uintptr_t address, bool has_destructor) {
  interlock_task_group *group = group_at(address);
  bool is_used_up = group && !group->running && !group->first;
  if (!group || is_used_up) {
    // malloc decides whether another group has been at the address, so take a new number.
    interlock_object *known = interlock_object_anew((const void *)address);
    group = known->state = interlock_execution_memory(sizeof *group);
    *group = (interlock_task_group){.number = known->number, .order = interlock_object_number()};
  }
  group->running++;
  interlock_did(count_operation(INTERLOCK_OPERATION_GROUP_ENTER, group));
  if (has_destructor) interlock_learn(INTERLOCK_FACT_GROUP_ORDER);
  return group;
}

void interlock_group_task_ends(interlock_task_group *group, uint32_t task) {
  group->running--;
  if (!group->takes_all && !group->takes_next) {
    ended_task *ended = interlock_execution_memory(sizeof *ended);
    ended->number = task;
    if (group->last) {
      group->last->next = ended;
    } else {
      group->first = ended;
    }
    group->last = ended;
  }
  group->takes_next = false;
  interlock_did(count_operation(INTERLOCK_OPERATION_GROUP_LEAVE, group));
  if (interlock_is_known(INTERLOCK_FACT_GROUP_ORDER)) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_COMPLETE, group->order, 0));
  }
}

static bool has_next(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const interlock_task_group *group = context;
  return group->first || !group->running;
}

static bool has_ended(interlock_logical_thread *thread, void *context) {
  (void)thread;
  return ((const interlock_task_group *)context)->running == 0;
}

/// Takes the first result. Returns the number of its task; 0 for none.
static uint32_t take_next(interlock_task_group *group) {
  ended_task *ended = group->first;
  if (!ended) return 0;
  group->first = ended->next;
  if (!group->first) group->last = NULL;
  return ended->number;
}

static void take_all(interlock_task_group *group) {
  group->first = group->last = NULL;
  group->takes_all = group->running > 0;
}

void interlock_group_tested(uintptr_t address, uintptr_t place) {
  const interlock_task_group *group = group_at(address);
  // Without a group, no task has been added.
  if (!group) return;
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, group->number, 0), NULL,
                  NULL, place);
}

void interlock_group_awaited(uintptr_t address, interlock_task_call call, bool gives_up,
                             uintptr_t place) {
  interlock_task_group *group = group_at(address);
  bool sees_order =
      call == INTERLOCK_TASK_CALL_AWAIT_NEXT || call == INTERLOCK_TASK_CALL_AWAIT_FAILURE;
  if (sees_order) interlock_learn(INTERLOCK_FACT_GROUP_ORDER);
  // The group's tasks may be waiting for their cancellation, which this call makes: let the runtime
  // wait.
  gives_up |= call == INTERLOCK_TASK_CALL_CANCEL_REST;
  bool is_next = call == INTERLOCK_TASK_CALL_AWAIT_NEXT;
  if (!group) {
    interlock_point(interlock_operation_of(INTERLOCK_OPERATION_YIELD, 0, 0), NULL, NULL, place);
  } else if (gives_up) {
    // Other code can observe whether the task had to wait.
    interlock_point(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, group->number, 0), NULL,
                    NULL, place);
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_READ_WRITE, group->order, 0));
    if (is_next) {
      group->takes_next = !take_next(group) && group->running > 0;
    } else {
      take_all(group);
    }
  } else if (is_next) {
    interlock_point(interlock_operation_of(INTERLOCK_OPERATION_AWAIT, group->order, 0), has_next,
                    group, place);
    uint32_t task = take_next(group);
    interlock_operation_kind kind =
        task ? INTERLOCK_OPERATION_AWAIT : INTERLOCK_OPERATION_YIELD;
    interlock_turned_out(interlock_operation_of(kind, task, 0));
  } else {
    interlock_operation wait =
        interlock_operation_of(INTERLOCK_OPERATION_GROUP_WAIT, group->number, 0);
    wait.flags = INTERLOCK_OPERATION_OF_TASKS;
    interlock_point(wait, has_ended, group, place);
    take_all(group);
  }
}

#endif
