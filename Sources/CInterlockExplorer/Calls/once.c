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

// A global variable is initialised in the first execution that uses it, so no later execution of
// the process could make another choice. The initialiser is therefore no operation, unless a thread
// has to wait for another thread's initialiser.
//
// An initialiser that performs operations is state that the next execution finds, and then each
// execution may have a process of its own. There a global is like a read-write lock: its
// initialiser holds the lock, and the first use by each other thread takes it shared. An
// initialiser without operations ends as a shared use, because its order changes nothing.

/// The `value` of the object of a global variable; 0 for another initialiser.
enum { IS_GLOBAL = 1, IS_OPERATION };

/// True if a use of a global variable by the user's code is an operation. The code of Dispatch's
/// initialisers does not call at all once they are done.
static bool is_operation(interlock_once_kind kind, interlock_site site) {
  return kind == INTERLOCK_ONCE_OF_SWIFT && interlock_is_known(INTERLOCK_FACT_INITIALISERS) &&
         interlock_the_engine.is_child && interlock_the_engine.options.forks_each &&
         interlock_is_choice(site.returns_to);
}

/// The object's `flags` have a bit for each of the first threads that has found the global done:
/// its later uses come after the initialiser in every order.
static uint32_t bit_of(const interlock_logical_thread *thread) {
  return thread->number < 32 ? UINT32_C(1) << thread->number : 0;
}

/// Returns true if the thread must run the initialiser.
static bool begin_operation(const void *token, done_function *is_done, interlock_site site) {
  interlock_logical_thread *self = interlock_current_thread();
  interlock_object *object = interlock_object_known(token);
  if (is_done(token)) {
    // Done before the execution, or known to be done.
    if (!object || object->value != IS_OPERATION || object->flags & bit_of(self)) return false;
  }
  object = interlock_object_for(token, site.returns_to);
  object->value = IS_OPERATION;
  object->state = (void *)is_done;
  object->give_back = interlock_give_back_once;
  bool is_first = !is_done(token) && !object->owner;
  const interlock_operation shared =
      interlock_operation_of(INTERLOCK_OPERATION_LOCK_SHARED, object->number, 0);
  interlock_name_call("initialiser");
  interlock_point(is_first ? interlock_operation_of(INTERLOCK_OPERATION_LOCK, object->number, 0)
                           : shared,
                  can_enter, object, site.place);
  if (is_done(token)) {
    if (is_first) interlock_turned_out(shared);
    interlock_did(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK_SHARED, object->number, 0));
    object->flags |= bit_of(self);
    return false;
  }
  object->owner = self;
  // The step in which the initialiser begins.
  object->first = (void *)(uintptr_t)interlock_the_engine.steps;
  self->initialisers++;
  return true;
}

static void end_operation(interlock_object *object) {
  interlock_logical_thread *owner = object->owner;
  bool has_operations = (uintptr_t)object->first != interlock_the_engine.steps;
  if (!has_operations) {
    // The step began with the operation of the initialiser.
    interlock_the_engine.asked = 0;
    interlock_turned_out(
        interlock_operation_of(INTERLOCK_OPERATION_LOCK_SHARED, object->number, 0));
  }
  interlock_did(interlock_operation_of(
      has_operations ? INTERLOCK_OPERATION_UNLOCK : INTERLOCK_OPERATION_UNLOCK_SHARED,
      object->number, 0));
  owner->initialisers--;
  object->flags |= bit_of(owner);
  object->owner = NULL;
}

bool interlock_perform_once_begin(const void *token, bool (*is_done)(const void *),
                                  interlock_once_kind kind_of_once, interlock_site site) {
  bool is_global = kind_of_once != INTERLOCK_ONCE_OF_POSIX;
  if (is_global) {
    if (is_operation(kind_of_once, site)) return begin_operation(token, is_done, site);
    if (is_done(token)) return false;
  }
  interlock_object *object =
      is_global ? interlock_object_for(token, 0) : interlock_object_at(token);
  object->state = (void *)is_done;
  object->give_back = interlock_give_back_once;
  interlock_operation_kind kind = INTERLOCK_OPERATION_LOCK;
  if (is_global) {
    object->value = IS_GLOBAL;
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
  if (object->value == IS_OPERATION && object->owner) {
    end_operation(object);
    return;
  }
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
