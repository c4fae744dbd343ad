// Where libdispatch keeps the queue that a thread is on: in a word of its thread-local storage,
// which has no name. Found by trying; in C because of what it asks the loader for.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "interlock_runtime.h"

/// Neither an address nor 0.
const uintptr_t interlock_unknown_queue = 3;

#if defined(__linux__)

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <string.h>

// Its real functions: calls of ours may be defined anew, and these are no business of who reads
// them.
typedef void *create_call(const char *, void *);
typedef void sync_call(void *, void *, void (*)(void *));
typedef void release_call(void *);

/// Of libdispatch: where its data lies, and the calling thread's storage of it.
typedef struct {
  uintptr_t code;
  uintptr_t low, high;
  uintptr_t *storage;
  size_t words;
} dispatch_module;

/// 0 before anybody has looked, 1 while somebody does, 2 where it was found, 3 where not.
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
  // NULL where the thread has none of it yet.
  module->storage = info->dlpi_tls_data;
  module->words = storage / sizeof(uintptr_t);
  return 1;
}

typedef struct {
  dispatch_module *module;
  uintptr_t queue;
  size_t found, matches;
} trial;

/// On a queue of ours: which word has changed to it.
static void look(void *context) {
  trial *trial = context;
  for (size_t index = 0; index < trial->module->words; index++) {
    if (trial->module->storage[index] != trial->queue) continue;
    trial->found = index;
    trial->matches++;
  }
}

/// One word alone that is a queue's address while the thread is on that queue, for two queues, and
/// what it was afterwards.
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
    // Nobody else knows the queue: it is run here and now.
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
  // Acquire and release: who finds it found finds where.
  if (__atomic_compare_exchange_n(&state, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&state, find_word(), __ATOMIC_RELEASE);
  }
  // Not for ever: in the child of a fork, who looks may not be there.
  for (int turns = 0; turns < 1000 && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == 1; turns++) sched_yield();
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
