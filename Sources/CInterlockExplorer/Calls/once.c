// Initialisers that run once. The real token says whether the initialiser has run; the object's
// `owner` is the thread that runs it.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

#include "../Engine/engine.h"

typedef bool done_function(const void *);

static bool can_enter(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const interlock_object *object = context;
  return object->owner == NULL || ((done_function *)object->state)((const void *)object->address);
}

// A global variable is initialised in the first execution that uses it, so no later execution could
// make another choice. The initialiser is therefore no operation, unless a thread has to wait for
// another thread's initialiser. `value` of the object is 1 for a global variable.

bool interlock_perform_once_begin(const void *token, bool (*is_done)(const void *),
                                  interlock_once_kind kind_of_once, interlock_site site) {
  bool is_global = kind_of_once != INTERLOCK_ONCE_OF_POSIX;
  interlock_object *object =
      is_global ? interlock_object_for(token, 0) : interlock_object_at(token);
  object->state = (void *)is_done;
  object->give_back = interlock_give_back_once;
  interlock_operation_kind kind = INTERLOCK_OPERATION_LOCK;
  if (is_global) {
    object->value = 1;
    if (kind_of_once == INTERLOCK_ONCE_OF_DISPATCH && object->owner == interlock_current_thread()) {
      interlock_execution_fail(INTERLOCK_EXPLORED_SELF_WAIT,
                               "a dispatch_once whose initialiser uses itself: libdispatch traps");
      interlock_execution_abandon();
    }
    if (!can_enter(interlock_current_thread(), object)) {
      // The end of the initialiser performs no operation on this object, so the wait depends on
      // everything.
      kind = INTERLOCK_OPERATION_UNKNOWN;
      interlock_name_call("initialiser");
      interlock_point(interlock_operation_of(kind, object->number, 0), can_enter, object,
                      site.place);
    }
  } else if (is_done(token)) {
    // A completed initialiser is an operation too: in another order this thread might have run it.
    // Two such operations commute.
    if (interlock_class_of_caller(site.returns_to) == INTERLOCK_CALLER_RUNTIME) return false;
    kind = INTERLOCK_OPERATION_LOCK_SHARED;
    interlock_ask(interlock_operation_of(kind, object->number, 0), NULL, NULL, site.returns_to,
                  site.place);
    kind = INTERLOCK_OPERATION_UNLOCK_SHARED;
    interlock_did(interlock_operation_of(kind, object->number, 0));
    return false;
  } else {
    interlock_ask(interlock_operation_of(kind, object->number, 0), can_enter, object,
                  site.returns_to, site.place);
  }
  if (is_done(token)) {
    interlock_perform_once_end(token);
    return false;
  }
  object->owner = interlock_current_thread();
  interlock_current_thread()->initialisers += is_global;
  return true;
}

void interlock_perform_once_end(const void *token) {
  interlock_object *object = interlock_object_at(token);
  interlock_logical_thread *owner = object->owner;
  if (owner && object->value) owner->initialisers--;
  object->owner = NULL;
  if (object->value) {
    interlock_the_engine.has_initialised = true;
  } else {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK, object->number, 0));
  }
}

#endif
