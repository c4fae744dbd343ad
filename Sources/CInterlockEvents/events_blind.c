// Stubs for builds that interpose no call and so have no events.
#include "interlock_internals.h"
#include "interpose.h"

#ifndef INTERLOCK_INTERPOSES

bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds) {
  (void)reader, (void)context, (void)kinds;
  return false;
}
bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds) {
  (void)reader, (void)locks, (void)kinds;
  return false;
}
bool interlock_events_replace(interlock_reader old, interlock_reader reader,
                              interlock_lock_reader locks, uint32_t kinds) {
  (void)old, (void)reader, (void)locks, (void)kinds;
  return false;
}
void interlock_events_remove(interlock_reader reader, void *context) {
  (void)reader, (void)context;
}
void interlock_events_hide_thread(bool hidden) { (void)hidden; }
void interlock_events_publish(const interlock_event *event) { (void)event; }
bool interlock_is_main_thread(void) { return false; }

interlock_events_availability interlock_events_available(void) {
#if defined(INTERLOCK_UNSEEN_CALLS)
  return INTERLOCK_EVENTS_NONE_TRAIT;
#elif defined(INTERLOCK_SANITIZED)
  return INTERLOCK_EVENTS_NONE_SANITIZER;
#else
  return INTERLOCK_EVENTS_NONE_SYSTEM;
#endif
}

#endif
