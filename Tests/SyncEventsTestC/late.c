#include <dlfcn.h>

#include "interlock_events.h"
#include "interlock_waits.h"
#include "sync_events_test.h"

int sync_events_open_late(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) return -1;
  int (*call)(uint64_t (*)(void), bool (*)(uintptr_t)) = dlsym(library, "sync_events_late");
  return call ? call(interlock_waits_progress, interlock_events_is_users) : -1;
}
