#include <dlfcn.h>

#include "sync_events_test.h"

int sync_events_open_late(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) return -1;
  int (*call)(void) = (int (*)(void))dlsym(library, "sync_events_late");
  return call ? call() : -1;
}
