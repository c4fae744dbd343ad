// The engine's state, which all files of the explorer read.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>
#include <unistd.h>

interlock_engine interlock_the_engine;

void *interlock_grow(void *items, size_t *room, size_t size) {
  *room = *room ? *room * 2 : 64;
  void *grown = realloc(items, *room * size);
  if (grown) return grown;
  static const char line[] = "interlock: no memory is left for the exploration\n";
  if (write(STDERR_FILENO, line, sizeof line - 1) < 0) abort();
  abort();
}

interlock_logical_thread *interlock_current_thread(void) { return interlock_the_engine.current; }

const interlock_exploration_options *interlock_exploration_asked(void) {
  return &interlock_the_engine.options;
}

#endif
