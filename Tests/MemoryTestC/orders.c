// The ways in which two accesses are ordered.
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <threads.h>

#include "programs.h"

#define BODY(name, ...)              \
  static void *name(void *unused) {  \
    (void)unused;                    \
    __VA_ARGS__;                     \
    return NULL;                     \
  }

static volatile int data;
static int flag;

// A message: the data, and then a flag.
#define MESSAGE(name, store_order, load_order, before_store, after_load)                        \
  BODY(name##_send, data = 1; before_store; __atomic_store_n(&flag, 1, store_order))            \
  BODY(name##_receive, while (!__atomic_load_n(&flag, load_order)) sched_yield(); after_load;   \
       data++)                                                                                  \
  static void name(void) { run_both(name##_send, name##_receive); }
MESSAGE(message_racy, __ATOMIC_RELAXED, __ATOMIC_RELAXED, , )
MESSAGE(message_half_racy, __ATOMIC_RELEASE, __ATOMIC_RELAXED, , )
MESSAGE(message_correct, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE, , )
MESSAGE(message_strong_correct, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, , )
MESSAGE(fence_racy, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
        __atomic_thread_fence(__ATOMIC_RELEASE), )
MESSAGE(fence_correct, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
        __atomic_thread_fence(__ATOMIC_RELEASE), __atomic_thread_fence(__ATOMIC_ACQUIRE))

// The last owner to release the count reads what the other owners wrote.
enum { owners = 4 };
static int count, values[owners];
static volatile int total;
static void *leave(void *argument, int order) {
  intptr_t index = (intptr_t)argument;
  ((volatile int *)values)[index] = 1;
  if (__atomic_sub_fetch(&count, 1, order) == 0) {
    for (int i = 0; i < owners; i++) total += ((volatile int *)values)[i];
  }
  return NULL;
}
static void *leave_ordered(void *argument) { return leave(argument, __ATOMIC_ACQ_REL); }
static void *leave_relaxed(void *argument) { return leave(argument, __ATOMIC_RELAXED); }
static void run_owners(thread_body *body) {
  pthread_t threads[owners];
  count = owners;
  for (intptr_t i = 0; i < owners; i++) pthread_create(&threads[i], NULL, body, (void *)i);
  for (int i = 0; i < owners; i++) pthread_join(threads[i], NULL);
}
static void count_racy(void) { run_owners(leave_relaxed); }
static void count_correct(void) { run_owners(leave_ordered); }

// An atomic access and a plain access to one word.
static int word;
BODY(store_word, __atomic_store_n(&word, 1, __ATOMIC_RELAXED))
BODY(load_word, (void)__atomic_load_n(&word, __ATOMIC_RELAXED))
BODY(read_word, (void)*(volatile int *)&word)
static void plain_racy(void) { run_both(store_word, read_word); }
static void plain_correct(void) { run_both(store_word, load_word); }

// 16 bytes, of which no thread may see only half.
typedef unsigned __int128 wide;
enum { turns = 10000 };
static wide pair __attribute__((aligned(16)));
static const wide both_halves = (wide)1 << 64 | 1;
#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
static bool replace_pair(wide expected, wide desired) {
  return __sync_bool_compare_and_swap(&pair, expected, desired);
}
static void *add_to_pair(void *unused) {
  wide seen = 0;
  for (int i = 0; i < turns; i++) {
    while (!replace_pair(seen * both_halves, (seen + 1) * both_halves)) seen++;
  }
  return unused;
}
static void pair_correct(void) {
  run_both(add_to_pair, add_to_pair);
  if (!replace_pair(2 * turns * both_halves, 0)) abort();
}
BODY(send_pair, data = 1; replace_pair(0, both_halves))
BODY(receive_pair, while (!replace_pair(both_halves, 0)) sched_yield(); data++)
static void pair_message_correct(void) { run_both(send_pair, receive_pair); }
BODY(read_pair_end, (void)((volatile char *)&pair)[15])
static void pair_racy(void) { run_both(send_pair, read_pair_end); }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static void add_under(pthread_mutex_t *lock) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(lock);
    data++;
    pthread_mutex_unlock(lock);
  }
}
BODY(add_under_mutex, add_under(&mutex))
BODY(add_under_other, add_under(&other))
static void mutex_racy(void) { run_both(add_under_mutex, add_under_other); }
static void mutex_correct(void) { run_both(add_under_mutex, add_under_mutex); }

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static void access_shared(bool writes, bool claims) {
  if (claims) {
    pthread_rwlock_wrlock(&rwlock);
  } else {
    pthread_rwlock_rdlock(&rwlock);
  }
  if (writes) data++;
  (void)data;
  pthread_rwlock_unlock(&rwlock);
}
BODY(read_shared, access_shared(false, false))
BODY(write_shared, access_shared(true, false))
BODY(write_alone, access_shared(true, true))
static void rwlock_racy(void) { run_both(read_shared, write_shared); }
static void rwlock_correct(void) { run_both(read_shared, write_alone); }

static sem_t semaphore;
BODY(post, data = 1; sem_post(&semaphore))
BODY(wait_and_add, sem_wait(&semaphore); data++)
BODY(add, data++)
static void semaphore_racy(void) { run_both(post, add); }
static void semaphore_correct(void) {
  sem_init(&semaphore, 0, 0);
  run_both(post, wait_and_add);
}

static pthread_barrier_t barrier;
BODY(write_and_meet, data = 1; pthread_barrier_wait(&barrier))
BODY(meet_and_write, pthread_barrier_wait(&barrier); data = 2)
BODY(meet_before_both, pthread_barrier_wait(&barrier); data = 2)
static void barrier_correct(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_both(write_and_meet, meet_and_write);
}
static void barrier_racy(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_both(meet_and_write, meet_before_both);
}

static void join_correct(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  pthread_join(thread, NULL);
  data++;
}
static void join_racy(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  data++;
  pthread_join(thread, NULL);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int made;
static void make(void) { made = 7; }
BODY(use_once, for (int i = 0; i < 100; i++) { pthread_once(&once, make); (void)made; })
BODY(use_without, if (!made) make())
static void once_correct(void) { run_both(use_once, use_once); }
static void once_racy(void) { run_both(use_without, use_without); }

// An exchange that finds another value is a load: it releases nothing, and writes nothing.
static int go, kept = 1;
static bool exchange_kept(int *value) {
  int expected = 5;
  return __atomic_compare_exchange_n(value, &expected, 6, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}
BODY(fail_to_exchange, data = 1; exchange_kept(&kept); set_relaxed(&go))
BODY(acquire_kept, await_relaxed(&go); (void)__atomic_load_n(&kept, __ATOMIC_ACQUIRE); data++)
BODY(read_kept, (void)*(volatile int *)&kept; set_relaxed(&go))
BODY(fail_later, await_relaxed(&go); exchange_kept(&kept))
static void failed_exchange_racy(void) { run_both(fail_to_exchange, acquire_kept); }
static void failed_exchange_correct(void) { run_both(read_kept, fail_later); }

// The write races with both reads. The threads stay, so that none takes the place of another.
static int are_read;
BODY(write_first, data = 1; set_relaxed(&go); await_relaxed(&are_read))
BODY(read_second, await_relaxed(&go); (void)data; set_relaxed(&flag); await_relaxed(&are_read))
BODY(read_third, await_relaxed(&flag); (void)data; set_relaxed(&are_read))
static void two_readers_racy(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_first, NULL);
  run_both(read_second, read_third);
  pthread_join(writer, NULL);
}

// Other joins, C11's locks, and an event of a descriptor.
static void timed_join_correct(void) {
  pthread_t thread;
  const struct timespec late = {INT32_MAX, 0};
  pthread_create(&thread, NULL, add, NULL);
  pthread_timedjoin_np(thread, NULL, &late);
  data++;
  pthread_create(&thread, NULL, add, NULL);
  pthread_clockjoin_np(thread, NULL, CLOCK_REALTIME, &late);
  data++;
  pthread_create(&thread, NULL, add, NULL);
  while (pthread_tryjoin_np(thread, NULL) != 0) sched_yield();
  data++;
}
static mtx_t own_lock;
BODY(lock_c11, mtx_lock(&own_lock); data++; mtx_unlock(&own_lock))
static void c11_correct(void) {
  mtx_init(&own_lock, mtx_plain);
  run_both(lock_c11, lock_c11);
}
static int events, waited;
BODY(send_event, data = 1; eventfd_write(events, 1))
BODY(await_event, struct epoll_event found; epoll_wait(waited, &found, 1, -1); data++)
static void epoll_correct(void) {
  events = eventfd(0, 0);
  waited = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN};
  epoll_ctl(waited, EPOLL_CTL_ADD, events, &wanted);
  run_both(send_event, await_event);
}

const memory_program memory_order_programs[] = {
    {"failed_exchange.racy", failed_exchange_racy},
    {"failed_exchange.correct", failed_exchange_correct},
    {"two_readers.racy", two_readers_racy},
    {"timed_join.correct", timed_join_correct},
    {"c11.correct", c11_correct},
    {"epoll.correct", epoll_correct},
    {"message.racy", message_racy},
    {"message_half.racy", message_half_racy},
    {"message.correct", message_correct},
    {"message_strong.correct", message_strong_correct},
    {"fence.racy", fence_racy},
    {"fence.correct", fence_correct},
    {"count.racy", count_racy},
    {"count.correct", count_correct},
    {"plain.racy", plain_racy},
    {"plain.correct", plain_correct},
    {"pair.racy", pair_racy},
    {"pair.correct", pair_correct},
    {"pair_message.correct", pair_message_correct},
    {"mutex.racy", mutex_racy},
    {"mutex.correct", mutex_correct},
    {"rwlock.racy", rwlock_racy},
    {"rwlock.correct", rwlock_correct},
    {"semaphore.racy", semaphore_racy},
    {"semaphore.correct", semaphore_correct},
    {"barrier.racy", barrier_racy},
    {"barrier.correct", barrier_correct},
    {"join.racy", join_racy},
    {"join.correct", join_correct},
    {"once.racy", once_racy},
    {"once.correct", once_correct},
    {NULL, NULL},
};
