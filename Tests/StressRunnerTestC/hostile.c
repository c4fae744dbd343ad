#include "hostile.h"

#if defined(__linux__)

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const hostile_action *const tables[] = {
    hostile_endings, hostile_tracers, hostile_processes, hostile_shared_memory,
    hostile_pipes,   hostile_files,   hostile_limits,    hostile_others,
    hostile_tricks,
};

const hostile_action *hostile_at(size_t index) {
  for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++)
    for (const hostile_action *action = tables[table]; action->name != NULL; action++)
      if (index-- == 0) return action;
  return NULL;
}

size_t hostile_count(void) {
  size_t count = 0;
  while (hostile_at(count) != NULL) count++;
  return count;
}

void hostile_run(size_t index) {
  const char *reach = hostile_reach();
  if (reach != NULL) {
    fprintf(stderr, "a hostile subject runs in an enclosure only: %s\n", reach);
    _exit(99);
  }
  const hostile_action *action = hostile_at(index);
  if (action != NULL) action->run(action->argument);
}

void hostile_hang(void) {
  for (;;) pause();
}

int hostile_in_new_session(void (*body)(int argument), int argument) {
  pid_t process = fork();
  if (process != 0) return process;
  setsid();
  body(argument);
  _exit(0);
}

#else

size_t hostile_count(void) { return 0; }
const hostile_action *hostile_at(size_t index) {
  (void)index;
  return NULL;
}
void hostile_run(size_t index) { (void)index; }
const char *hostile_reach(void) { return "enclosures are Linux's"; }
const char *hostile_enclose(const char *mount_point, const char *const *folders, size_t count,
                            unsigned seconds) {
  (void)mount_point, (void)folders, (void)count, (void)seconds;
  return "enclosures are Linux's";
}
const char *hostile_library_of(const char *function) {
  (void)function;
  return NULL;
}

#endif
