// The turns of an actor. A task that is on no actor comes to an actor as a block comes to a serial
// queue.
//
// The model keeps the queue, and lets the task make its switch when its turn has come. The runtime
// then finds the actor free and lets the task continue. So the task is one thread of the
// exploration from its start to its end, whichever task was on the actor before. A task that comes
// to an actor in another way is in the runtime's own queue; a body in which that happens is
// explored without the model's turns.
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

/// In an actor's object, `owner` is the thread that is on the actor, and `first` and `last` are the
/// list of the waiting turns.
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

/// An actor in memory: the two words of every object, then the runtime's words, which are all 0
/// while the actor is idle.
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

/// Resets the runtime's words. The object's `value` is the actor's class: memory that was freed and
/// used again has another class there.
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
    // The runtime takes the task off the other actor and submits it to this one.
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
  // A step of its own, so that coming to a busy actor is the same as coming to an actor that has
  // just been left.
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
