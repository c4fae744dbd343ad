// The turns of an actor: tasks that are on no actor come to one as blocks come to a serial queue.
//
// The model keeps the queue and lets a task make its switch when its turn has come. The runtime
// then finds the actor free and lets the task go on, so that it is one thread of the exploration
// from its start to its end, whichever task was on the actor before. What comes to an actor in
// another way stands in the runtime's own queue; a body in which that happens is explored without
// the model's turns.
#include "../Engine/engine.h"
#include "tasks.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#include "interlock_waits.h"

typedef struct waiting_turn {
  struct waiting_turn *next;
  interlock_object *actor;
  interlock_logical_thread *thread;
} waiting_turn;

/// The `owner` of an actor's object is the thread that is on it; the waiting turns are a list.
static bool is_first(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const waiting_turn *turn = context;
  return !turn->actor->owner && turn->actor->first == turn;
}

void interlock_actor_left(model_thread *thread) {
  if (!thread->turn) return;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_FINISH, thread->turn->number, 0));
  thread->turn->owner = NULL;
  const waiting_turn *next = thread->turn->first;
  if (next) interlock_announce(next->thread);
  thread->turn = NULL;
  thread->actor = 0;
}

/// The runtime's part of an actor, behind the two words of each object: all 0 while it is idle.
typedef struct {
  uintptr_t class, reference_count, runtimes[12];
} actor_object;

static bool is_idle(const actor_object *actor) {
  uintptr_t all = 0;
  for (size_t word = 0; word < sizeof actor->runtimes / sizeof *actor->runtimes; word++) {
    all |= actor->runtimes[word];
  }
  return all == 0;
}

/// The object's `value` is the class of the actor: memory that was freed since has another.
static void give_back(interlock_object *object) {
  actor_object copied, *actor = (actor_object *)object->address;
  if (!interlock_peek(object->address, &copied, sizeof copied)) return;
  if ((int64_t)copied.class != object->value || is_idle(&copied)) return;
  memset(actor->runtimes, 0, sizeof actor->runtimes);
}

void interlock_actor_met(interlock_object *object) {
  const actor_object *actor = (const actor_object *)object->address;
  if (object->give_back || !is_idle(actor)) return;
  object->value = (int64_t)actor->class;
  object->give_back = give_back;
}

bool interlock_actor_entered(model_thread *thread, interlock_object *actor, uintptr_t place) {
  if (interlock_is_known(INTERLOCK_FACT_ACTOR_JOBS)) return false;
  interlock_name_call("to actor");
  interlock_point(interlock_operation_of(INTERLOCK_OPERATION_ENQUEUE, actor->number, 0), NULL, NULL,
                  place);
  bool is_on_another = thread->actor != 0;
  if (is_on_another) {
    bool must_wait = actor->owner || actor->first;
    interlock_actor_left(thread);
    // The runtime takes the other actor from it, and submits it to this one.
    if (must_wait) return true;
  }
  waiting_turn *turn = interlock_execution_memory(sizeof *turn);
  turn->actor = actor;
  turn->thread = interlock_current_thread();
  if (actor->last) {
    ((waiting_turn *)actor->last)->next = turn;
  } else {
    actor->first = turn;
  }
  actor->last = turn;
  interlock_name_call("turn on actor");
  // A step of its own: to come to a busy actor, or to one that has just been left, is the same.
  interlock_point_announced(interlock_operation_of(INTERLOCK_OPERATION_BEGIN, actor->number, 0),
                            is_first, turn, place);
  actor->first = turn->next;
  if (!turn->next) actor->last = NULL;
  actor->owner = interlock_current_thread();
  thread->turn = actor;
  thread->actor = actor->number;
  return true;
}

#endif
