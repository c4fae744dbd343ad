// The variables of the environment: one object, which `getenv` reads and the other calls change.
// Foundation reads the variables without a call. Its reads are no steps.
//
// 'stdlib.h' is not included: in some versions it declares these calls with other attributes.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

#include "../../CInterlockEvents/interpose.h"

#define ONLY_CONTROL 0u

extern char **environ;

/// Reaches a point before a call of the user's code. A library that reads a variable keeps the
/// value for itself, often in the first execution only.
static void environment_point(const char *name, interlock_operation_kind kind,
                              interlock_site site) {
  if (!interlock_is_controlled() || !interlock_is_choice(site.returns_to)) return;
  interlock_object *object = interlock_object_at(&environ);
  object->name = "the environment";
  interlock_name_call(name);
  interlock_point(interlock_operation_of(kind, object->number, 0), NULL, NULL, site.place);
}

#define USING(type, name, parameters, arguments, kind)                        \
  INTERPOSED_FAST(type, name, ONLY_CONTROL, parameters, arguments) {          \
    environment_point(#name, INTERLOCK_OPERATION_##kind, THIS_SITE);          \
    return FOUND(name) arguments;                                             \
  }

USING(char *, getenv, (const char *name), (name), READ)
USING(int, setenv, (const char *name, const char *value, int replaces), (name, value, replaces),
      WRITE)
USING(int, unsetenv, (const char *name), (name), WRITE)
USING(int, putenv, (char *text), (text), WRITE)
USING(int, clearenv, (void), (), WRITE)

/// The child of a fork may make these calls. Look the real functions up at process start, when no
/// thread holds the loader's lock.
__attribute__((constructor(101))) static void find_calls(void) {
#define FIND(name) \
  __atomic_store_n(&real_##name, (name##_call *)interlock_find_real(#name), __ATOMIC_RELAXED)
  FIND(getenv), FIND(setenv), FIND(unsetenv), FIND(putenv), FIND(clearenv);
}

#endif
