// Memory, threads and control flow that end, and are reused.
#define _GNU_SOURCE
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory_test.h"
#include "programs.h"

#define BODY(name, ...)              \
  static void *name(void *unused) {  \
    (void)unused;                    \
    __VA_ARGS__;                     \
    return NULL;                     \
  }

static int flag;
static volatile long total;

// One thread uses memory and frees it; then another thread uses the same address, unordered.
enum { block_size = 200 };
static char *kept;
static void keep(char *block) { __atomic_store_n(&kept, block, __ATOMIC_RELAXED); }
static char *get_kept(void) { return __atomic_load_n(&kept, __ATOMIC_RELAXED); }
/// Fills the block behind the words that the allocator keeps in a free block.
static void fill(volatile char *block) {
  for (int i = 32; i < block_size; i++) block[i] = (char)i;
}
BODY(use_and_free, char *block = malloc(block_size); fill(block); keep(block); free(block);
     set_relaxed(&flag))
BODY(use_and_keep, char *block = malloc(block_size); fill(block); keep(block); set_relaxed(&flag))
BODY(use_again, await_relaxed(&flag); fill(get_kept()))
// The second thread uses the address directly: malloc would not give it another arena's memory.
static void freed_correct(void) { run_both(use_and_free, use_again); }
static void kept_racy(void) { run_both(use_and_keep, use_again); }

static void *const fixed = (void *)0x500000000000;
static char *map_at(void *address) {
  return mmap(address, 1 << 20, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
static char *map(void) { return map_at(fixed); }
BODY(map_and_unmap, char *block = map(); fill(block); munmap(block, 1 << 20); set_relaxed(&flag))
BODY(map_again, await_relaxed(&flag); fill(map()))
static void mapped_correct(void) { run_both(map_and_unmap, map_again); }

// Memory whose mapping is replaced, is moved away, or has another mapping moved to it.
static void *const elsewhere = (void *)0x510000000000, *const apart = (void *)0x520000000000;
static char *move(char *block, void *address) {
  return mremap(block, 1 << 20, 1 << 20, MREMAP_MAYMOVE | MREMAP_FIXED, address);
}
BODY(map_and_leave, fill(map()); set_relaxed(&flag))
BODY(map_over, await_relaxed(&flag); fill(map()))
static void mapped_over_correct(void) { run_both(map_and_leave, map_over); }
BODY(move_over, char *block = map_at(elsewhere); await_relaxed(&flag); fill(move(block, fixed)))
static void moved_over_correct(void) { run_both(map_and_leave, move_over); }
BODY(move_away, char *block = map(); fill(block); move(block, elsewhere); set_relaxed(&flag))
BODY(move_there, char *block = map_at(apart); await_relaxed(&flag); fill(move(block, fixed)))
static void moved_away_correct(void) { run_both(move_away, move_there); }
// The mapping stays at its address, and so do its accesses.
BODY(map_and_shrink, char *block = map(); fill(block); mremap(block, 1 << 20, 1 << 19, 0);
     set_relaxed(&flag))
BODY(fill_shrunk, await_relaxed(&flag); fill(fixed))
static void shrunk_racy(void) { run_both(map_and_shrink, fill_shrunk); }
BODY(map_beside_and_fill, await_relaxed(&flag); map_at(elsewhere); fill(fixed))
static void mapped_beside_racy(void) { run_both(map_and_leave, map_beside_and_fill); }

// The report of a byte's race is held back, as the byte may be a lock's; then the process ends.
uint64_t interlock_memory_pairs(void);
void interlock_memory_await_reports(void);
static volatile char byte;
BODY(write_byte, byte = 1; set_relaxed(&flag))
BODY(write_byte_and_exit, await_relaxed(&flag); byte = 2; interlock_memory_await_reports();
     fflush(NULL); _exit(interlock_memory_pairs() > 0 ? 66 : 0))
static void held_back_at_exit_racy(void) { run_both(write_byte, write_byte_and_exit); }

// The same if another thread ends the process, while the thread that held the race back waits.
static sem_t came, never;
BODY(write_byte_and_wait, await_relaxed(&flag); byte = 2; sem_post(&came); sem_wait(&never))
static void hold_back_elsewhere(void) {
  pthread_t first, second;
  sem_init(&came, 0, 0);
  sem_init(&never, 0, 0);
  pthread_create(&first, NULL, write_byte, NULL);
  pthread_create(&second, NULL, write_byte_and_wait, NULL);
  sem_wait(&came);
}
static void held_back_elsewhere_racy(void) {
  hold_back_elsewhere();
  interlock_memory_await_reports();
}

// The address turns out to be a lock's after the race was held back, and before the process ends.
static union {
  pthread_mutex_t mutex;
  volatile char bytes[sizeof(pthread_mutex_t)];
} lock = {PTHREAD_MUTEX_INITIALIZER};
BODY(pass_lock, lock.bytes[0] = 0; set_relaxed(&flag))
BODY(pass_lock_and_wait, await_relaxed(&flag); lock.bytes[0] = 0; sem_post(&came);
     sem_wait(&never))
static void held_back_lock_correct(void) {
  pthread_t first, second;
  sem_init(&came, 0, 0);
  sem_init(&never, 0, 0);
  pthread_create(&first, NULL, pass_lock, NULL);
  pthread_create(&second, NULL, pass_lock_and_wait, NULL);
  sem_wait(&came);
  pthread_mutex_lock(&lock.mutex);
  pthread_mutex_unlock(&lock.mutex);
  interlock_memory_await_reports();
}

// A thread reports a race that it held back, while another thread ends the process.
void interlock_memory_report_to(void (*)(const void *));
static int reports, ends;
static void report_slowly(const void *race) {
  (void)race;
  set_relaxed(&reports);
  await_relaxed(&ends);
  for (int i = 0; i < 1000; i++) sched_yield();
  printf("race: late\n");
}
BODY(write_byte_and_go_on, await_relaxed(&flag); byte = 2; set_relaxed(&flag); sem_wait(&never))
static void reported_at_exit_racy(void) {
  pthread_t first, second;
  sem_init(&never, 0, 0);
  interlock_memory_report_to(report_slowly);
  pthread_create(&first, NULL, write_byte, NULL);
  pthread_create(&second, NULL, write_byte_and_go_on, NULL);
  await_relaxed(&reports);
  set_relaxed(&ends);
  interlock_memory_await_reports();
  fflush(NULL);
  _exit(interlock_memory_pairs() > 0 ? 66 : 0);
}

// One thread uses an atomic and frees it; then the address has another object, which the atomic
// does not order. A byte there is no lock, although the atomic was released there.
enum { atomic_size = 64 };
static void free_released(void) {
  int *block = malloc(atomic_size);
  keep((char *)block);
  __atomic_store_n(block, 1, __ATOMIC_RELEASE);
  free(block);
}
/// Volatile, or the compiler would replace the block by a static variable.
static volatile char *volatile bytes;
BODY(write_first, bytes[0] = 1)
static void recycled_byte_racy(void) {
  free_released();
  bytes = malloc(atomic_size);
  if (bytes != get_kept()) abort();
  run_both(write_first, write_first);
}
BODY(write_and_release, total = 1; int *block = malloc(atomic_size);
     __atomic_store_n(block, 1, __ATOMIC_RELEASE); keep((char *)block))
/// The block is freed and allocated again by one thread, which so gets the same address.
BODY(free_and_acquire, char *block; while (!(block = get_kept())) sched_yield();
     free(block); int *other = malloc(atomic_size); if ((char *)other != block) abort();
     (void)__atomic_load_n(other, __ATOMIC_ACQUIRE); total++)
static void recycled_order_racy(void) { run_both(write_and_release, free_and_acquire); }
// Each new atomic at the address orders, also beside others that live on.
static int *sent;
BODY(send_by_block, total++; __atomic_store_n(&sent[1], 1, __ATOMIC_RELEASE))
BODY(receive_by_block, while (!__atomic_load_n(&sent[1], __ATOMIC_ACQUIRE)) sched_yield(); total++)
static void recycled_atomic_correct(void) {
  for (int i = 0; i < 50; i++) {
    free_released();
    sent = calloc(1, atomic_size);
    run_both(send_by_block, receive_by_block);
    free(sent);
  }
}
/// The atomic stays where it is while its block's neighbours are freed.
BODY(release_beside, total = 1; __atomic_store_n(&sent[0], 1, __ATOMIC_RELEASE); free_released();
     set_relaxed(&flag))
BODY(acquire_beside, await_relaxed(&flag); free_released();
     (void)__atomic_load_n(&sent[0], __ATOMIC_ACQUIRE); total++)
static void kept_atomic_correct(void) {
  sent = calloc(1, atomic_size);
  run_both(release_beside, acquire_beside);
}

BODY(grow_and_free, char *block = malloc(block_size); fill(block); keep(block);
     block = realloc(block, 1 << 20); free(block); set_relaxed(&flag))
static void grown_correct(void) { run_both(grow_and_free, use_again); }

// Threads run one after another, unordered, each on the stack of the previous one.
static int turns;
BODY(use_stack, volatile char local[512]; fill(local);
     __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED))
static void stack_correct(void) {
  for (int i = 1; i <= 50; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, use_stack, NULL);
    pthread_detach(thread);
    while (__atomic_load_n(&turns, __ATOMIC_RELAXED) < i) sched_yield();
  }
}

// 10,000 threads over time: far more than there are slots in a clock.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
BODY(add_one, pthread_mutex_lock(&mutex); total++; pthread_mutex_unlock(&mutex))
/// Both threads live at once, so neither can have the slot of the other, ended one.
static int alive;
BODY(add_unlocked, __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
     while (__atomic_load_n(&alive, __ATOMIC_RELAXED) < 2) sched_yield();
     total++)
static void run_ten_thousand(void) {
  for (int i = 0; i < 5000; i++) run_both(add_one, add_one);
}

// A thread ends, unordered, and another thread takes its slot in the clocks: the first of 300 has
// the lowest slot, which is reused first.
static int alone;
BODY(add_alone, total++; __atomic_store_n(&alone, (int)syscall(SYS_gettid), __ATOMIC_RELAXED))
BODY(only_live, __atomic_store_n(&alone, (int)syscall(SYS_gettid), __ATOMIC_RELAXED))
static void run_alone(thread_body *body) {
  pthread_t thread;
  int number;
  __atomic_store_n(&alone, 0, __ATOMIC_RELAXED);
  pthread_create(&thread, NULL, body, NULL);
  pthread_detach(thread);
  while (!(number = __atomic_load_n(&alone, __ATOMIC_RELAXED))) sched_yield();
  while (syscall(SYS_tgkill, getpid(), number, 0) == 0) sched_yield();
}
static void slot_racy(void) {
  run_alone(add_alone);
  for (int i = 0; i < 300; i++) run_alone(only_live);
  run_alone(add_alone);
}
static void slot_correct(void) {
  for (int i = 0; i < 300; i++) run_alone(only_live);
  run_both(add_one, add_one);
}
static void threads_correct(void) { run_ten_thousand(); }
static void threads_racy(void) {
  run_ten_thousand();
  run_both(add_unlocked, add_unlocked);
}

static volatile int data;
BODY(write_data, data = 1)
BODY(write_data_too, data = 2)

static void fork_correct(void) {
  data = 1;
  pid_t child = fork();
  if (child == 0) {
    run_both(write_data, write_data_too);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) abort();
}
static void fork_racy(void) {
  fork_correct();
  run_both(write_data, write_data_too);
}

static jmp_buf target;
static __attribute__((noinline)) void jump(int depth) {
  data = depth;
  if (depth == 0) longjmp(target, 1);
  jump(depth - 1);
  data = depth;
}
BODY(jump_often, for (volatile int i = 0; i < 5000; i++) if (!setjmp(target)) jump(20))
BODY(jump_and_write, jump_often(NULL); write_data(NULL))
static void longjmp_correct(void) { jump_often(NULL); }
static void longjmp_racy(void) { run_both(jump_and_write, write_data_too); }

static volatile long handled;
static void handle(int number) {
  (void)number;
  handled++;
}
static void raise_often(void) {
  signal(SIGUSR1, handle);
  for (int i = 0; i < 2000; i++) {
    raise(SIGUSR1);
    handled++;
    free(malloc(64));
  }
}
static void signal_correct(void) { raise_often(); }
// The handler interrupts a thread's accesses at any instruction, while another thread also writes.
static void block_alarm(int how) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(how, &alarms, NULL);
}
BODY(write_until_done, block_alarm(SIG_UNBLOCK); for (int i = 0; i < 200000; i++) data = i)
static void signal_racy(void) {
  signal(SIGALRM, handle);
  block_alarm(SIG_BLOCK);
  ualarm(200, 200);
  run_both(write_until_done, write_data_too);
  ualarm(0, 0);
}

/// The address space is used up, so the shadow of new memory cannot be made.
static void exhausted_correct(void) {
  struct rlimit limit = {0, RLIM_INFINITY};
  getrlimit(RLIMIT_AS, &limit);
  void *spread[40];
  for (int i = 0; i < 40; i++) {
    spread[i] = mmap(NULL, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 1;
  setrlimit(RLIMIT_AS, &limit);
  for (int i = 0; i < 40; i++) *(volatile int *)spread[i] = i;
  limit.rlim_cur = before;
  setrlimit(RLIMIT_AS, &limit);
  run_both(write_data, write_data_too);
}

const memory_program memory_life_programs[] = {
    {"kept.racy", kept_racy},         {"freed.correct", freed_correct},
    {"mapped.correct", mapped_correct}, {"mapped_over.correct", mapped_over_correct},
    {"moved_over.correct", moved_over_correct}, {"moved_away.correct", moved_away_correct},
    {"shrunk.racy", shrunk_racy},     {"mapped_beside.racy", mapped_beside_racy},
    {"held_back_at_exit.racy", held_back_at_exit_racy},
    {"held_back_elsewhere.racy", held_back_elsewhere_racy},
    {"held_back_lock.correct", held_back_lock_correct},
    {"reported_at_exit.racy", reported_at_exit_racy},
    {"grown.correct", grown_correct},
    {"recycled_byte.racy", recycled_byte_racy},
    {"recycled_order.racy", recycled_order_racy},
    {"recycled_atomic.correct", recycled_atomic_correct},
    {"kept_atomic.correct", kept_atomic_correct},
    {"stack.correct", stack_correct}, {"threads.correct", threads_correct},
    {"slot.racy", slot_racy}, {"slot.correct", slot_correct},
    {"threads.racy", threads_racy},   {"fork.correct", fork_correct},
    {"fork.racy", fork_racy},         {"longjmp.correct", longjmp_correct},
    {"longjmp.racy", longjmp_racy},   {"signal.correct", signal_correct},
    {"signal.racy", signal_racy},     {"exhausted.correct", exhausted_correct},
    {NULL, NULL},
};

static const memory_program *const lists[] = {memory_access_programs, memory_order_programs,
                                              memory_life_programs, memory_static_programs,
                                              memory_plain_programs};

static const memory_program *at(size_t index) {
  for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
    for (const memory_program *program = lists[list]; program->name; program++) {
      if (index-- == 0) return program;
    }
  }
  return NULL;
}

const char *memory_test_name(size_t index) {
  const memory_program *program = at(index);
  return program ? program->name : NULL;
}

bool memory_test_run(const char *name) {
  for (size_t index = 0; at(index); index++) {
    if (strcmp(at(index)->name, name) != 0) continue;
    at(index)->run();
    return true;
  }
  return false;
}
