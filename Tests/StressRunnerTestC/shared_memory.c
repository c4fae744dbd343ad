#include "hostile.h"

#if defined(__linux__)

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Actions on the shared file in memory, descriptor 3, which the runner reads.

enum { TABLE = 3, PAGE = 4096 };

static size_t size(void) {
  struct stat status;
  return fstat(TABLE, &status) == 0 ? (size_t)status.st_size : 0;
}

static uint64_t *words(void) {
  void *base = mmap(NULL, size(), PROT_READ | PROT_WRITE, MAP_SHARED, TABLE, 0);
  return base == MAP_FAILED ? NULL : base;
}

static void cut(int bytes) {
  // If the file is sealed, the call is refused, and the subject does no harm.
  if (ftruncate(TABLE, bytes) == 0) hostile_hang();
}

static void grow(int argument) {
  (void)argument;
  if (ftruncate(TABLE, (off_t)1 << 40) == 0) hostile_hang();
}

static void punch(int argument) {
  (void)argument;
  fallocate(TABLE, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)size());
  hostile_hang();
}

static void seal(int argument) {
  (void)argument;
  // F_ADD_SEALS with all seals.
  fcntl(TABLE, 1033, 0x3f);
}

static void fill(int byte) {
  uint64_t *base = words();
  if (base != NULL) memset(base, byte, size());
  hostile_hang();
}

static void fill_smallest(int count) {
  uint64_t *base = words();
  if (base == NULL) return;
  for (size_t index = 0; index < size() / 8; index++)
    base[index] = (uint64_t)INT64_MIN - (uint64_t)count;
  hostile_hang();
}

static void scribble(uint64_t *base, unsigned *seed) {
  for (size_t index = 0; index < size() / 8; index++)
    base[index] = (uint64_t)rand_r(seed) << 33 ^ (uint64_t)rand_r(seed) << 11 ^
                  (uint64_t)rand_r(seed);
}

static void fill_randomly(int seed) {
  uint64_t *base = words();
  unsigned state = (unsigned)seed;
  if (base != NULL) scribble(base, &state);
  hostile_hang();
}

static void scribble_on(int seed) {
  uint64_t *base = words();
  unsigned state = (unsigned)seed;
  while (base != NULL) {
    scribble(base, &state);
    // A stage beyond "running", so that the runner reads the rest.
    base[3] = 1;
  }
}

static void *scribble_beside(void *nothing) {
  scribble_on(7);
  return nothing;
}

static void scribble_and_return(int argument) {
  (void)argument;
  pthread_t thread;
  pthread_create(&thread, NULL, scribble_beside, NULL);
  usleep(100000);
}

/// Writes an invalid or a false stage at offset 24.
static void claim_stage(int stage) {
  uint64_t *base = words();
  if (base != NULL) base[3] = (uint64_t)stage;
  hostile_hang();
}

static void claim_completions(int argument) {
  (void)argument;
  uint64_t *base = words();
  if (base == NULL) return;
  for (size_t stripe = 0; stripe < 64; stripe++) base[PAGE / 8 + stripe * 8] = UINT64_MAX;
  hostile_hang();
}

static void ignore_all_threads(int argument) {
  (void)argument;
  uint64_t *base = words();
  if (base == NULL) return;
  base[8] = (uint64_t)getpid();
  for (int index = 1; index < 8; index++)
    base[8 + index] = (uint64_t)gettid() + (uint64_t)index - 1;
  hostile_hang();
}

static void close_it(int argument) {
  (void)argument;
  close(TABLE);
  dup2(1, TABLE);
}

static void unmap_all_of_it(int argument) {
  (void)argument;
  signal(SIGSEGV, SIG_DFL);
  // The harness's next write faults at its own addresses: in this process, not in the runner.
  char line[1024];
  char *bytes = line;
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  size_t used = 0;
  for (;;) {
    ssize_t count = read(maps, line + used, 1);
    if (count <= 0) break;
    if (line[used] != '\n' && used + 2 < sizeof line) {
      used++;
      continue;
    }
    line[used] = 0;
    used = 0;
    if (strstr(bytes, "memfd:interlock") == NULL) continue;
    uintptr_t first = strtoull(bytes, &bytes, 16), last = strtoull(bytes + 1, NULL, 16);
    bytes = line;
    munmap((void *)first, last - first);
  }
  close(maps);
}

const hostile_action hostile_shared_memory[] = {
    {"table-cut-to-nothing", cut, 0},
    {"table-cut-to-a-page", cut, PAGE},
    {"table-grown", grow, 0},
    {"table-punched", punch, 0},
    {"table-sealed", seal, 0},
    {"table-zeros", fill, 0},
    {"table-ones", fill, 0xff},
    {"table-smallest", fill_smallest, 0},
    {"table-largest", fill_smallest, 1},
    {"table-random-1", fill_randomly, 1},
    {"table-random-2", fill_randomly, 2},
    {"table-random-3", fill_randomly, 3},
    {"table-scribbled", scribble_on, 4},
    {"table-scribbled-beside", scribble_and_return, 0},
    {"table-stage-starting", claim_stage, 0},
    {"table-stage-finished", claim_stage, 2},
    {"table-stage-unknown", claim_stage, 99},
    {"table-completions", claim_completions, 0},
    {"table-threads-ignored", ignore_all_threads, 0},
    {"table-closed", close_it, 0},
    {"table-unmapped", unmap_all_of_it, 0},
    {NULL, NULL, 0},
};

#endif
