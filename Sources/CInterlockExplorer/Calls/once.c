// What runs once: the real token keeps whether it has run, and the engine which thread is in it.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

typedef bool done_function(const void *);

static bool can_enter(interlock_logical_thread *thread, void *context) {
  (void)thread;
  const interlock_object *object = context;
  return object->owner == NULL || ((done_function *)object->state)((const void *)object->address);
}

bool interlock_perform_once_begin(const void *token, bool (*is_done)(const void *),
                                  interlock_site site) {
  interlock_object *object = interlock_object_at(token);
  object->state = (void *)is_done;
  interlock_ask(interlock_operation_of(INTERLOCK_OPERATION_LOCK, object->number, 0), can_enter,
                object, site.returns_to, site.place);
  if (is_done(token)) {
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK, object->number, 0));
    return false;
  }
  object->owner = interlock_current_thread();
  return true;
}

void interlock_perform_once_end(const void *token) {
  interlock_object *object = interlock_object_at(token);
  object->owner = NULL;
  interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK, object->number, 0));
}

#endif
