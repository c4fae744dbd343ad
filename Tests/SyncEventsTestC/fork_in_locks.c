// Forks while other threads hold locks of the harness, none of which may stay taken in a child.
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interlock_runtime.h"
#include "sync_events_test.h"

extern void *dispatch_block_create(unsigned long flags, void *block) __attribute__((weak));
extern void dispatch_block_cancel(void *block) __attribute__((weak));

static int is_over;

static bool goes_on(void) { return !__atomic_load_n(&is_over, __ATOMIC_RELAXED); }

static void *cancel_without_end(void *block) {
  while (goes_on()) dispatch_block_cancel(block);
  return NULL;
}

static void take_and_give_back(const int *lock, uint64_t section) {
  interlock_publish_section_lock(INTERLOCK_LOCK_TAKEN, lock, section, interlock_caller());
  interlock_publish_section_lock(INTERLOCK_LOCK_GIVEN_BACK, lock, section, interlock_caller());
}

static void *lock_without_end(void *context) {
  (void)context;
  static int lock;
  while (goes_on()) take_and_give_back(&lock, 1);
  return NULL;
}

static _Noreturn void run_child(void (^item)(void)) {
  // Ends a child that waits for a thread that only its parent has.
  sync_events_end_in(5);
  item();
  int lock = 0;
  take_and_give_back(&lock, 2);
  _exit(0);
}

int sync_events_fork_in_locks(int count) {
  if (!dispatch_block_create) return -1;
  __block int ran __attribute__((unused)) = 0;
  void (^item)(void) = dispatch_block_create(0, ^{ ran++; });
  void *cancelled = dispatch_block_create(0, ^{});
  pthread_t others[2];
  pthread_create(&others[0], NULL, cancel_without_end, cancelled);
  pthread_create(&others[1], NULL, lock_without_end, NULL);
  int well = 0;
  while (well < count) {
    pid_t child = fork();
    if (child == 0) run_child(item);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) break;
    well++;
  }
  __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  for (int index = 0; index < 2; index++) pthread_join(others[index], NULL);
  return well;
}
