// Finds the unnamed word of thread-local storage in which libdispatch keeps a thread's current
// queue, by experiment. In C because of the loader's structures.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "interlock_runtime.h"

/// A value that is neither a queue's address nor 0.
const uintptr_t interlock_unknown_queue = 3;

#if defined(__linux__)

#include <dlfcn.h>
#include <link.h>
#include <string.h>

// libdispatch's own functions, because this executable may interpose them, and readers of events
// must not see these calls.
typedef void *create_call(const char *, void *);
typedef void sync_call(void *, void *, void (*)(void *));
typedef void release_call(void *);

/// libdispatch's address range, and the calling thread's thread-local storage of it.
typedef struct {
  uintptr_t code;
  uintptr_t low, high;
  uintptr_t *storage;
  size_t words;
} dispatch_module;

/// 0 before the first search, 1 during it, 2 if the word was found, 3 if not.
static int state;
static size_t word_index;
static uintptr_t dispatch_code, dispatch_low, dispatch_high;

static int find_module(struct dl_phdr_info *info, size_t size, void *context) {
  dispatch_module *module = context;
  if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data) return 1;
  uintptr_t low = UINTPTR_MAX, high = 0;
  size_t storage = 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_TLS) storage = header->p_memsz;
    if (header->p_type != PT_LOAD) continue;
    if (start < low) low = start;
    if (start + header->p_memsz > high) high = start + header->p_memsz;
  }
  if (module->code < low || module->code >= high) return 0;
  module->low = low;
  module->high = high;
  // NULL if the thread has no such storage yet.
  module->storage = info->dlpi_tls_data;
  module->words = storage / sizeof(uintptr_t);
  return 1;
}

typedef struct {
  dispatch_module *module;
  uintptr_t queue;
  size_t found, matches;
} trial;

/// Runs on a test queue, and finds the words that contain the queue's address.
static void look(void *context) {
  trial *trial = context;
  for (size_t index = 0; index < trial->module->words; index++) {
    if (trial->module->storage[index] != trial->queue) continue;
    trial->found = index;
    trial->matches++;
  }
}

/// Finds the only word that contains a queue's address while the thread runs on the queue, for each
/// of two queues, and does not contain it afterwards.
static int find_word(void) {
  create_call *create = (create_call *)dlsym(RTLD_NEXT, "dispatch_queue_create");
  sync_call *sync = (sync_call *)dlsym(RTLD_NEXT, "dispatch_sync_f");
  release_call *release = (release_call *)dlsym(RTLD_NEXT, "dispatch_release");
  if (!create || !sync || !release) return 3;
  dispatch_module module = {.code = (uintptr_t)sync};
  dl_iterate_phdr(find_module, &module);
  if (!module.storage || (uintptr_t)module.storage % sizeof(uintptr_t)) return 3;
  trial trials[2];
  int works = 1;
  void *queues[2];
  for (int index = 0; index < 2; index++) {
    queues[index] = create("interlock", NULL);
    if (!queues[index]) return 3;
  }
  for (int index = 0; index < 2; index++) {
    trials[index] = (trial){&module, (uintptr_t)queues[index], 0, 0};
    // No other thread uses the queue, so the block runs here at once.
    sync(queues[index], &trials[index], look);
    if (trials[index].matches != 1) works = 0;
  }
  for (int index = 0; index < 2; index++) {
    if (works && module.storage[trials[0].found] == (uintptr_t)queues[index]) works = 0;
    release(queues[index]);
  }
  if (!works || trials[0].found != trials[1].found) return 3;
  word_index = trials[0].found;
  dispatch_code = module.code;
  dispatch_low = module.low;
  dispatch_high = module.high;
  return 2;
}

const uintptr_t *interlock_queue_word(void) {
  int none = 0;
  // Acquire and release: a thread that reads 2 sees the index and the addresses.
  if (__atomic_compare_exchange_n(&state, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&state, find_word(), __ATOMIC_RELEASE);
  }
  // Bounded: in the child of a fork the searching thread may not exist.
  for (int turns = 0; turns < 1000 && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == 1; turns++)
    interlock_give_way();
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) return &interlock_unknown_queue;
  dispatch_module module = {.code = dispatch_code};
  dl_iterate_phdr(find_module, &module);
  return module.storage && word_index < module.words ? &module.storage[word_index]
                                                         : &interlock_unknown_queue;
}

_Bool interlock_is_lasting_queue(uintptr_t queue) {
  return queue == 0 || queue - dispatch_low < dispatch_high - dispatch_low;
}

#else

const uintptr_t *interlock_queue_word(void) { return &interlock_unknown_queue; }
_Bool interlock_is_lasting_queue(uintptr_t queue) {
  (void)queue;
  return 0;
}

#endif
