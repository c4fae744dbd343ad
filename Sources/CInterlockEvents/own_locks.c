// Checks the order of Interlock's own locks, in a debug build with `INTERLOCK_CHECK_OWN_LOCKS` in
// its environment. In C, because it runs inside every such lock.
//
// A deadlock needs a cycle of locks. Interlock's locks have no cycle among themselves if the orders
// in which threads take them have none. They have no cycle with foreign locks if no thread takes a
// foreign lock while it holds one of them. A signal handler counts as its thread.
#include "interlock_internals.h"

#if defined(DEBUG) && defined(INTERLOCK_INTERPOSES)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_classes = 64, most_held = 8 };

/// A class of locks: those of one variable, or of one field of a file's records.
typedef struct {
  const char *file, *name;
  /// The classes that a thread has taken while it held this one, a bit each.
  uint64_t under;
} lock_class;

bool interlock_checks_own_locks;
static lock_class classes[most_classes];
static int class_count;
/// Guards additions to the classes. Not one of the checked locks.
static int classes_lock;

static __thread struct {
  const int *lock;
  int class;
} held[most_held];
static __thread int held_count;

static void fail(const char *text, const char *first, const char *second) {
  // Stop checking, because a handler of SIGABRT may take locks.
  interlock_checks_own_locks = false;
  char line[512];
  int length = snprintf(line, sizeof line, text, first, second);
  if (write(STDERR_FILENO, line, (size_t)length) < 0) abort();
  abort();
}

/// Returns the class of a lock. A field of records is one class for each file; a variable that
/// several files share has one name.
static int class_of(const char *file, const char *name) {
  for (const char *arrow; (arrow = strstr(name, "->"));) name = arrow + 2;
  if (*name == '&') name++;
  if (strncmp(name, "interlock_", 10) == 0) file = "";
  // Acquire: pairs with the release below.
  int count = __atomic_load_n(&class_count, __ATOMIC_ACQUIRE);
  for (int index = 0; index < count; index++) {
    if (!strcmp(classes[index].file, file) && !strcmp(classes[index].name, name)) return index;
  }
  if (count == most_classes) fail("interlock: own locks: too many, at %s %s\n", file, name);
  while (__atomic_exchange_n(&classes_lock, 1, __ATOMIC_ACQUIRE)) give_way();
  bool is_last = class_count == count;
  if (is_last) {
    classes[count] = (lock_class){.file = file, .name = name};
    __atomic_store_n(&class_count, count + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&classes_lock, 0, __ATOMIC_RELEASE);
  return is_last ? count : class_of(file, name);
}

/// True if a chain of orders leads from one class to another.
static bool leads(int from, int to) {
  uint64_t seen = 1ull << from;
  for (bool grows = true; grows && !(seen >> to & 1);) {
    uint64_t before = seen;
    for (int index = 0; index < most_classes; index++) {
      // Sequentially consistent, as the addition of an order: of two threads that add the orders of
      // a cycle, at least one then sees both.
      if (seen >> index & 1) seen |= __atomic_load_n(&classes[index].under, __ATOMIC_SEQ_CST);
    }
    grows = seen != before;
  }
  return seen >> to & 1;
}

void interlock_note_own_lock(const int *lock, const char *file, const char *name) {
  int class = class_of(file, name);
  for (int index = 0; index < held_count; index++) {
    int outer = held[index].class;
    // Sequentially consistent: see `leads`.
    __atomic_fetch_or(&classes[outer].under, 1ull << class, __ATOMIC_SEQ_CST);
    if (leads(class, outer)) {
      fail("interlock: own locks: '%s' is taken under '%s', and elsewhere in the other order\n",
           classes[class].name, classes[outer].name);
    }
  }
  if (held_count == most_held) fail("interlock: own locks: too many held, %s %s\n", file, name);
  held[held_count].lock = lock;
  held[held_count++].class = class;
}

void interlock_note_own_unlock(const int *lock) {
  int index = held_count;
  while (index > 0 && held[index - 1].lock != lock) index--;
  // The lock was taken before the check began.
  if (index == 0) return;
  for (held_count--; index <= held_count; index++) held[index - 1] = held[index];
}

void interlock_note_foreign_call(const char *name) {
  if (!interlock_checks_own_locks || held_count == 0) return;
  fail("interlock: own locks: '%s' is called under '%s'\n", name,
       classes[held[held_count - 1].class].name);
}

static void print_orders(void) {
  int orders = 0;
  for (int index = 0; index < class_count; index++) {
    orders += __builtin_popcountll(classes[index].under);
  }
  char line[128];
  static const char text[] = "interlock: own locks: %d, in %d orders without a cycle\n";
  int length = snprintf(line, sizeof line, text, class_count, orders);
  if (write(STDERR_FILENO, line, (size_t)length) < 0) abort();
}

__attribute__((constructor(101))) static void start(void) {
  interlock_checks_own_locks = getenv("INTERLOCK_CHECK_OWN_LOCKS") != NULL;
  if (interlock_checks_own_locks) atexit(print_orders);
}

#endif
