// The start and the end of the check.
#include "interlock_memory.h"
#include "interlock_clocks.h"
#include "interlock_waits.h"
#include "memory_thread.h"
#include "Code/plain_code.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <pthread.h>

bool interlock_memory_was_on;
static int state;
static const char *refusal;

const char *interlock_references_prepare(void) HIDDEN;

/// True in a child process whose parent checks.
static bool was_on;

/// The child of a fork has no vector clocks, and so checks nothing.
static void forked(void) {
  was_on = __atomic_load_n(&interlock_memory_is_on, __ATOMIC_RELAXED);
  __atomic_store_n(&interlock_memory_is_on, false, __ATOMIC_RELAXED);
  interlock_memory_stop_thread();
  interlock_plain_calls_forked();
  interlock_memory_races_forked();
}

/// True if the toolchain's ThreadSanitizer or AddressSanitizer runtime is in the process as well.
static bool has_other_runtime(void) {
  return dlsym(RTLD_DEFAULT, "__tsan_get_report_data") || dlsym(RTLD_DEFAULT, "__asan_init");
}

// Functions that instrumented code calls. The lower files know them by address only.
void __tsan_func_entry(void *);
void __tsan_external_write(void *, void *, void *);

static const char *prepare(void) {
  interlock_plain_function_entry = (uintptr_t)__tsan_func_entry;
  interlock_memory_change_entry = (uintptr_t)__tsan_external_write;
  if (has_other_runtime()) return "the runtime of another sanitizer is linked as well";
  if (!interlock_clocks_start()) {
    const char *blind = interlock_clocks_blindness();
    return blind ? blind : "this build does not see the calls that order threads";
  }
  if (!interlock_waits_start()) return "there is no room for a reader of the events";
  if (!interlock_shadow_prepare() || !interlock_memory_threads_prepare() ||
      !interlock_memory_stacks_prepare()) {
    return "there is no address space for the shadow";
  }
  interlock_plain_calls_prepare();
  return interlock_references_prepare();
}

const char *interlock_memory_start(void) {
  int none = 0;
  // Acquire and release: a thread that reads 2 sees the tables.
  if (__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    interlock_events_hide_thread(true);
    refusal = prepare();
    if (!refusal) pthread_atfork(NULL, NULL, forked);
    interlock_events_hide_thread(false);
    __atomic_store_n(&interlock_memory_was_on, !refusal, __ATOMIC_RELEASE);
    if (!refusal) interlock_search_blocks(interlock_memory_block_of_lock);
    __atomic_store_n(&interlock_memory_is_on, !refusal, __ATOMIC_RELEASE);
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 1) interlock_give_way();
  return refusal;
}

size_t interlock_memory_leave_out(void) {
  int none = 0;
  // State 1, as in `interlock_memory_start`, which then returns the reason.
  if (!__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return 0;
  }
  refusal = "'memory=off'";
  size_t count = interlock_memory_leave_out_calls();
  __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
  return count;
}

void interlock_memory_go_on_in_child(void) {
  if (!was_on || !interlock_clocks_start() || !interlock_waits_start()) return;
  __atomic_store_n(&interlock_memory_is_on, true, __ATOMIC_RELAXED);
}

#else

// ThreadSanitizer is built in, or this system is not supported: instrumented code calls
// ThreadSanitizer's functions, or there is none.

const char *interlock_memory_start(void) {
  return "this build does not see the calls that order threads";
}
size_t interlock_memory_leave_out(void) { return 0; }
void interlock_memory_report_to(interlock_memory_reporter reporter) { (void)reporter; }
void interlock_memory_scope_from(interlock_memory_scope scope) { (void)scope; }
void interlock_memory_scope_changes(void) {}
const char *interlock_memory_blindness(void) { return NULL; }
#ifndef INTERLOCK_UNSEEN_CALLS
bool interlock_memory_is_instrumented(void) { return false; }
#endif
bool interlock_memory_is_instrumented_function(void (*function)(int *)) {
  (void)function;
  return false;
}
uint64_t interlock_memory_pairs(void) { return 0; }
void interlock_memory_scope_begins(void) {}
void interlock_memory_go_on_in_child(void) {}
void interlock_memory_set_points(const uintptr_t *sites, size_t count, bool reports) {
  (void)sites, (void)count, (void)reports;
}
uint64_t interlock_memory_races(void) { return 0; }
uint64_t interlock_memory_compared(void) { return 0; }
void interlock_memory_await_reports(void) {}

#endif
