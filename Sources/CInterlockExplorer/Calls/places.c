// Decides which calls are choices.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <string.h>

/// True if a return address is in one of Foundation's lock classes. Users call these, so their
/// locks count as the user's. `NSLock` jumps to the C library, so its return address is already the
/// user's.
static bool is_in_lock_class(uintptr_t address) {
  static const char *const classes[] = {
      "$s10Foundation6NSLockC", "$s10Foundation15NSRecursiveLockC", "$s10Foundation11NSConditionC",
      "$s10Foundation15NSConditionLockC"};
  Dl_info info;
  if (!dladdr((void *)address, &info) || !info.dli_sname) return false;
  for (size_t index = 0; index < sizeof classes / sizeof *classes; index++) {
    if (strncmp(info.dli_sname, classes[index], strlen(classes[index])) == 0) return true;
  }
  return false;
}

static interlock_caller_class class_of(uintptr_t returns_to) {
  if (interlock_events_is_users(returns_to)) return INTERLOCK_CALLER_USER;
  if (!interlock_events_is_foundation(returns_to)) return INTERLOCK_CALLER_RUNTIME;
  return is_in_lock_class(returns_to) ? INTERLOCK_CALLER_USER : INTERLOCK_CALLER_LIBRARY;
}

interlock_caller_class interlock_class_of_caller(uintptr_t returns_to) {
  if (returns_to - interlock_own_code < interlock_own_code_size) return INTERLOCK_CALLER_USER;
  // The results by address: a look-up costs a hundred times as much as a call.
  static struct {
    uintptr_t address;
    interlock_caller_class class;
  } known[4096];
  size_t slot = (size_t)(returns_to * 0x9e3779b97f4a7c15ull >> 52);
  if (known[slot].address != returns_to) {
    known[slot].class = class_of(returns_to);
    known[slot].address = returns_to;
  }
  return known[slot].class;
}

bool interlock_is_choice(uintptr_t returns_to) {
  return interlock_class_of_caller(returns_to) == INTERLOCK_CALLER_USER;
}

#endif
