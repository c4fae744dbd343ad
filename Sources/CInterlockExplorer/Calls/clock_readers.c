// Tells reads of a clock by the user's code from reads by a library for its own use. A sleep, for
// example, reads the clock, and the user's code cannot see the result.
#include "calls.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <string.h>

/// NULL in a program without the code scanner.
bool interlock_code_symbol(uintptr_t address, char *name, size_t capacity) __attribute__((weak));

typedef struct _Unwind_Context unwind_context;
extern int _Unwind_Backtrace(int (*step)(unwind_context *, void *), void *) __attribute__((weak));
extern uintptr_t _Unwind_GetIP(unwind_context *) __attribute__((weak));

static bool begins_with(const char *text, const char *beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

/// True if the standard library's sleep is compiled into the user's code at an address:
/// `Clock.sleep(for:)`, and `Task.sleep` with a clock.
static bool is_emitted_sleep(uintptr_t address) {
  char symbol[160];
  return interlock_code_symbol && interlock_code_symbol(address, symbol, sizeof symbol) &&
         (begins_with(symbol, "$ss5ClockPsE5sleep") ||
          begins_with(symbol, "$sScTss5NeverORszABRs_rlE5sleep"));
}

/// True if an address is in Foundation's `Thread.sleep`.
static bool is_thread_sleep(uintptr_t address) {
  Dl_info info;
  return interlock_events_is_foundation(address) && dladdr((void *)address, &info) &&
         info.dli_sname && begins_with(info.dli_sname, "$s10Foundation6ThreadC5sleep");
}

typedef struct {
  unsigned frames;
  bool is_found;
} search;

static int look_at_frame(unwind_context *context, void *argument) {
  enum { goes_on = 0, ends = 5, most_frames = 12 };
  search *own = argument;
  own->is_found = is_thread_sleep(_Unwind_GetIP(context));
  return own->is_found || ++own->frames == most_frames ? ends : goes_on;
}

static bool is_in_thread_sleep(void) {
  if (!_Unwind_Backtrace || !_Unwind_GetIP) return false;
  search own = {0};
  _Unwind_Backtrace(look_at_frame, &own);
  return own.is_found;
}

extern const char __start_interlock_runs[] HIDDEN, __stop_interlock_runs[] HIDDEN;

/// True if the address is in the explorer's code that runs blocks and jobs
/// (Dispatch/Model/running.c).
static bool runs_blocks(uintptr_t address) {
  uintptr_t runs = (uintptr_t)__start_interlock_runs;
  return address - runs < (uintptr_t)__stop_interlock_runs - runs;
}

bool interlock_is_users_place(uintptr_t place) {
  return place && interlock_is_choice(place) && !runs_blocks(place);
}

static bool is_users_code(uintptr_t place) {
  return interlock_is_users_place(place) && !is_emitted_sleep(place);
}

bool interlock_is_users_read(interlock_site site) {
  // The results by address: a look-up costs as much as hundreds of reads.
  static struct {
    uintptr_t address;
    bool is_users;
  } known[256];
  size_t slot = (size_t)(site.place * 0x9e3779b97f4a7c15ull >> 56);
  // The look-up takes locks, which are not operations of the user's code.
  interlock_marks.hidden++;
  if (known[slot].address != site.place) {
    known[slot].is_users = is_users_code(site.place);
    known[slot].address = site.place;
  }
  bool is_foundation = interlock_events_is_foundation(site.returns_to) ||
                       site.returns_to == site.place;
  bool is_users = known[slot].is_users && !(is_foundation && is_in_thread_sleep());
  interlock_marks.hidden--;
  return is_users;
}

#endif
