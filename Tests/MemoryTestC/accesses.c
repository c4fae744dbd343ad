// The bytes of an access.
#include <stdlib.h>
#include <string.h>

#include "programs.h"

#define BODY(name, ...)              \
  static void *name(void *unused) {  \
    (void)unused;                    \
    __VA_ARGS__;                     \
    return NULL;                     \
  }

static struct {
  uint64_t words[4];
} aligned __attribute__((aligned(64)));
static __thread volatile uint64_t sink;
#define BYTES ((volatile uint8_t *)aligned.words)

BODY(write_word, *(volatile uint64_t *)&aligned.words[0] = 1)
BODY(read_upper_half, sink = ((volatile uint32_t *)aligned.words)[1])
BODY(read_next_word, sink = ((volatile uint32_t *)aligned.words)[2])
static void overlap_racy(void) { run_both(write_word, read_upper_half); }
static void overlap_correct(void) { run_both(write_word, read_next_word); }

BODY(write_byte_2, BYTES[2] = 1)
BODY(write_byte_2_again, BYTES[2] = 2)
BODY(write_byte_3, BYTES[3] = 1)
static void bytes_racy(void) { run_both(write_byte_2, write_byte_2_again); }
static void bytes_correct(void) { run_both(write_byte_2, write_byte_3); }

/// An object from byte 5 of a unit to byte 4 of the next unit.
typedef struct __attribute__((packed)) {
  uint8_t before[5];
  uint64_t word;
} straddler;
static straddler across __attribute__((aligned(8)));
BODY(write_across, ((volatile straddler *)&across)->word = 1)
BODY(read_byte_12, sink = ((volatile uint8_t *)&across)[12])
BODY(read_byte_4, sink = ((volatile uint8_t *)&across)[4])
static void unaligned_racy(void) { run_both(write_across, read_byte_12); }
static void unaligned_correct(void) { run_both(write_across, read_byte_4); }

static char buffer[256];
static char *volatile hidden_buffer = buffer;
static volatile size_t hundred = 100;
BODY(copy_100, memcpy(hidden_buffer, "from", 4); memset(hidden_buffer, 1, hundred))
BODY(read_99, sink = (uint64_t)hidden_buffer[99])
BODY(read_100, sink = (uint64_t)hidden_buffer[100])
static void range_racy(void) { run_both(copy_100, read_99); }
static void range_correct(void) { run_both(copy_100, read_100); }

static char others[256];
static char *volatile hidden_others = others;
BODY(move_out, memmove(hidden_others, hidden_buffer, hundred))
BODY(write_50, hidden_buffer[50] = 1)
BODY(write_150, hidden_buffer[150] = 1)
static void move_racy(void) { run_both(move_out, write_50); }
static void move_correct(void) { run_both(move_out, write_150); }

static __int128 wide __attribute__((aligned(16)));
BODY(write_wide, *(volatile __int128 *)&wide = 1)
BODY(read_last_byte, sink = ((volatile uint8_t *)&wide)[15])
static __thread volatile int own_word;
BODY(write_own, for (int i = 0; i < 100; i++) own_word++)
static void wide_racy(void) { run_both(write_wide, read_last_byte); }
static void thread_local_correct(void) { run_both(write_own, write_own); }

// Two threads write each word at the same time, so that both store in the same cell.
enum { words_at_once = 20000 };
static volatile uint64_t at_once[words_at_once];
static int reached[2];
static void write_at_once(int own, uint64_t value) {
  for (int i = 0; i < words_at_once; i++) {
    __atomic_store_n(&reached[own], i, __ATOMIC_RELAXED);
    while (__atomic_load_n(&reached[!own], __ATOMIC_RELAXED) < i) sched_yield();
    at_once[i] = value;
  }
  __atomic_store_n(&reached[own], words_at_once, __ATOMIC_RELAXED);
}
BODY(write_at_once_1, write_at_once(0, 1))
BODY(write_at_once_2, write_at_once(1, 2))
static void at_once_racy(void) { run_both(write_at_once_1, write_at_once_2); }

// Six threads read before one writes: more than a unit has cells.
static volatile uint64_t shared_word;
static int readers_done;
BODY(read_shared, sink = shared_word; __atomic_fetch_add(&readers_done, 1, __ATOMIC_RELAXED))
static void many_readers_racy(void) {
  enum { readers = 6 };
  pthread_t threads[readers];
  for (int i = 0; i < readers; i++) pthread_create(&threads[i], NULL, read_shared, NULL);
  while (__atomic_load_n(&readers_done, __ATOMIC_RELAXED) < readers) sched_yield();
  shared_word = 1;
  for (int i = 0; i < readers; i++) pthread_join(threads[i], NULL);
}
static void many_readers_correct(void) {
  enum { readers = 6 };
  pthread_t threads[readers];
  shared_word = 1;
  for (int i = 0; i < readers; i++) pthread_create(&threads[i], NULL, read_shared, NULL);
  for (int i = 0; i < readers; i++) pthread_join(threads[i], NULL);
  shared_word = 1;
}

// A thousand accesses in one epoch, of which only the first is stored.
BODY(write_often, for (int i = 0; i < 1000; i++) aligned.words[3] = (uint64_t)i)
BODY(write_once_more, *(volatile uint64_t *)&aligned.words[3] = 5)
static void epoch_racy(void) { run_both(write_often, write_once_more); }
static void epoch_correct(void) {
  pthread_t thread;
  write_often(NULL);
  pthread_create(&thread, NULL, write_often, NULL);
  pthread_join(thread, NULL);
  write_often(NULL);
}

const memory_program memory_access_programs[] = {
    {"overlap.racy", overlap_racy},     {"overlap.correct", overlap_correct},
    {"bytes.racy", bytes_racy},         {"bytes.correct", bytes_correct},
    {"unaligned.racy", unaligned_racy}, {"unaligned.correct", unaligned_correct},
    {"range.racy", range_racy},         {"range.correct", range_correct},
    {"move.racy", move_racy},           {"move.correct", move_correct},
    {"wide.racy", wide_racy},           {"thread_local.correct", thread_local_correct},
    {"at_once.racy", at_once_racy},
    {"readers.racy", many_readers_racy}, {"readers.correct", many_readers_correct},
    {"epoch.racy", epoch_racy},         {"epoch.correct", epoch_correct},
    {NULL, NULL},
};
