// A handler that is still writing its thread's stack when the slots are reused.
#define _GNU_SOURCE 1
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interlock_stack_capture.h"
#include "sync_events_test.h"

enum { slots = 4, depth = 20, frames_on_first_page = 4 };

static sem_t is_deep, is_stuck, may_go_on, may_end;
static char *second_page;
static uint32_t numbers[2];

/// Called when the handler reaches the page that it cannot write yet.
static void wait_on_second_page(int signal) {
  (void)signal;
  sem_post(&is_stuck);
  sem_wait(&may_go_on);
}

__attribute__((noinline)) static int descend(int levels) {
  if (levels > 0) return descend(levels - 1) + 1;
  sem_post(&is_deep);
  while (sem_wait(&may_end) != 0) continue;
  return 0;
}

static void *run(void *number) {
  *(uint32_t *)number = (uint32_t)syscall(SYS_gettid);
  return (void *)(intptr_t)descend(depth);
}

static const interlock_stack_slot *wait_for_stack(const interlock_stack_area *area) {
  while (true) {
    for (uint32_t index = 0; index < slots; index++) {
      const interlock_stack_slot *slot = interlock_stack_area_slot(area, slots, index);
      if (slot) return slot;
    }
  }
}

int sync_events_late_stack(void) {
  long page = sysconf(_SC_PAGESIZE);
  char *memory =
      mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  second_page = memory + page;
  // The first slot begins on the first page and ends on the second.
  size_t before = offsetof(interlock_stack_slot, frames) + frames_on_first_page * sizeof(uintptr_t);
  interlock_stack_area *area = (interlock_stack_area *)(second_page - before) - 1;
  area->capacity = slots;
  sem_init(&is_deep, 0, 0), sem_init(&is_stuck, 0, 0);
  sem_init(&may_go_on, 0, 0), sem_init(&may_end, 0, 0);
  if (!interlock_stack_capture_install(area)) return 1;
  struct sigaction action = {.sa_handler = wait_on_second_page};
  sigaction(SIGSEGV, &action, NULL);
  sync_events_unblock(SIGPROF);
  pthread_t threads[2];
  for (int index = 0; index < 2; index++) {
    pthread_create(&threads[index], NULL, run, &numbers[index]);
    sem_wait(&is_deep);
  }
  mprotect(second_page, (size_t)page, PROT_NONE);
  interlock_signal_thread(getpid(), numbers[0], SIGPROF);
  sem_wait(&is_stuck);
  // The first round has timed out: a second round requests the other thread's stack.
  mprotect(second_page, (size_t)page, PROT_READ | PROT_WRITE);
  interlock_stack_area_reset(area);
  interlock_signal_thread(getpid(), numbers[1], SIGPROF);
  const interlock_stack_slot *found = wait_for_stack(area);
  interlock_stack_slot second = *found;
  if (second.thread != numbers[1]) return 2;
  // Now the first handler writes the rest of its stack, and leaves.
  sem_post(&may_go_on);
  sem_post(&may_end), sem_post(&may_end);
  for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
  if (memcmp(found, &second, sizeof second) != 0) return 3;
  int stacks = 0;
  for (uint32_t index = 0; index < slots; index++) {
    stacks += interlock_stack_area_slot(area, slots, index) != NULL;
  }
  if (stacks != 1) return 4;
  // The first handler's slot is free again.
  interlock_stack_area_reset(area);
  for (int index = 0; index < slots; index++) raise(SIGPROF);
  for (uint32_t index = 0; index < slots; index++) {
    if (!interlock_stack_area_slot(area, slots, index)) return 5;
  }
  return interlock_stack_area_used(area, slots) == slots ? 0 : 6;
}
