// Where a call comes from: which code is a user's, and which line of it led into a library.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <elf.h>
#include <link.h>
#include <string.h>

typedef struct {
  uintptr_t low, high;
} range;

enum { most_ranges = 24 };
static range system_ranges[most_ranges], user_ranges[most_ranges];
static int system_count, user_count;
static range dispatch_range, concurrency_range, foundation_range;
uintptr_t interlock_own_code, interlock_own_code_size;

static bool is_within(range range, uintptr_t address) {
  return address - range.low < range.high - range.low;
}

bool interlock_is_dispatch(uintptr_t address) { return is_within(dispatch_range, address); }
bool interlock_is_concurrency(uintptr_t address) { return is_within(concurrency_range, address); }

bool interlock_is_foundation(uintptr_t address) { return is_within(foundation_range, address); }

static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  range code = {UINTPTR_MAX, 0};
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    uintptr_t low = info->dlpi_addr + header->p_vaddr;
    if (low < code.low) code.low = low;
    if (low + header->p_memsz > code.high) code.high = low + header->p_memsz;
  }
  if (code.low >= code.high) return 0;
  // The executable is the first, and has no name.
  if (!interlock_own_code) {
    interlock_own_code = code.low;
    interlock_own_code_size = code.high - code.low;
  }
  const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
  const char *name = slash ? slash + 1 : info->dlpi_name ? info->dlpi_name : "";
  static const char *const systems[] = {
      "libdispatch", "libswift", "libFoundation", "lib_Foundation", "libBlocksRuntime", "libc.so",
      "libm.so",     "ld-linux", "libstdc++",     "libgcc",         "libpthread",       "linux-vdso",
      "libTesting",  "libXCTest", "lib_Testing", "libXCT"};
  bool is_system = false;
  for (size_t index = 0; index < sizeof systems / sizeof *systems; index++) {
    if (strncmp(name, systems[index], strlen(systems[index])) == 0) is_system = true;
  }
  if (strncmp(name, "libdispatch", 11) == 0) dispatch_range = code;
  if (strncmp(name, "libswift_Concurrency", 20) == 0) concurrency_range = code;
  if (strncmp(name, "libFoundation.so", 16) == 0) foundation_range = code;
  if (is_system) {
    if (system_count < most_ranges) system_ranges[system_count++] = code;
  } else {
    if (user_count < most_ranges) user_ranges[user_count++] = code;
  }
  return 0;
}

/// Whether the instruction before an address is a call: only then it is one that a call returns to.
static bool follows_call(uintptr_t address) {
#if defined(__x86_64__)
  const unsigned char *code = (const unsigned char *)address;
  if (code[-5] == 0xe8) return true;
  // An indirect one: ff /2 with a register, or with memory and a displacement of 0, 1 or 4 bytes.
  if (code[-2] == 0xff && (code[-1] & 0x38) == 0x10) return true;
  if (code[-3] == 0xff && (code[-2] & 0x38) == 0x10) return true;
  if (code[-4] == 0xff && (code[-3] & 0x38) == 0x10) return true;
  return code[-6] == 0xff && (code[-5] & 0x38) == 0x10;
#elif defined(__aarch64__)
  uint32_t code = *(const uint32_t *)(address - 4);
  return (code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000;
#else
  (void)address;
  return false;
#endif
}

extern const char __start_interlock_between[] HIDDEN, __stop_interlock_between[] HIDDEN;

static bool is_users(uintptr_t address) {
  uintptr_t between = (uintptr_t)__start_interlock_between;
  // The address to which a call returns may be the first behind the last function.
  if (address - between - 1 < (uintptr_t)__stop_interlock_between - between) return false;
  for (int index = 0; index < user_count; index++) {
    range code = user_ranges[index];
    if (address >= code.low + 8 && address < code.high) return follows_call(address);
  }
  return false;
}

/// What a stack is read to: nothing above the thread's control block, which lies at the top of the stacks that glibc
/// makes; the main thread has its environment there.
static uintptr_t top_of_reading(uintptr_t frame) {
  enum { farthest = 8192 };
  uintptr_t top = frame + farthest;
  uintptr_t control = (uintptr_t)__builtin_thread_pointer();
  return control > frame && control < top ? control : top;
}

// The unwinder knows where each caller's return address is, and is too slow to ask at each call. Where it was found
// once for a place in a system library, it is found again: so many frames up by the frame pointers, or so far up.

struct unwinding {
  uintptr_t system_place;
  uintptr_t found;
  /// Just above where that is stored.
  uintptr_t above;
  bool is_after_place;
};

typedef struct _Unwind_Context unwind_context;
extern int _Unwind_Backtrace(int (*step)(unwind_context *, void *), void *) __attribute__((weak));
extern uintptr_t _Unwind_GetIP(unwind_context *) __attribute__((weak));
extern uintptr_t _Unwind_GetCFA(unwind_context *) __attribute__((weak));

static int unwind_step(unwind_context *context, void *argument) {
  enum { goes_on = 0, ends = 5 };
  struct unwinding *unwinding = argument;
  uintptr_t address = _Unwind_GetIP(context);
  if (!unwinding->is_after_place) {
    unwinding->is_after_place = address == unwinding->system_place;
    return goes_on;
  }
  if (!is_users(address)) return goes_on;
  unwinding->found = address;
  // Of a frame, this is where the stack stood when it had made its call, less that call's return address.
  unwinding->above = _Unwind_GetCFA(context);
  return ends;
}

enum { known_ways = 256, most_steps = 6 };
typedef struct {
  /// The place's 48 bits, and above them the way: a number of frames, or `most_steps` plus a distance in words.
  uint64_t way;
  /// What was found last, which is known to be a user's, whatever way led there: a loop finds the same again.
  uintptr_t last;
} known_way;
/// By place.
static known_way ways[known_ways];

static bool follow_way(known_way *known, uint64_t way, uintptr_t *frame, uintptr_t *found) {
  uintptr_t top = top_of_reading(*frame), at = *frame;
  if (way <= most_steps) {
    for (uint64_t step = 0; step < way; step++) {
      uintptr_t next = *(const uintptr_t *)at;
      if (next <= at || next + 16 > top || next % 8) return false;
      at = next;
    }
    *frame = at;
    *found = ((const uintptr_t *)at)[1];
  } else {
    at = *frame + (way - most_steps) * sizeof(uintptr_t);
    if (at + sizeof(uintptr_t) > top) return false;
    *found = *(const uintptr_t *)at;
  }
  // Relaxed: one word, and any that is found there is a user's.
  if (*found == __atomic_load_n(&known->last, __ATOMIC_RELAXED)) return true;
  if (!is_users(*found)) return false;
  __atomic_store_n(&known->last, *found, __ATOMIC_RELAXED);
  return true;
}

static uintptr_t unwind(uintptr_t place, uintptr_t frame, known_way *known) {
  if (!_Unwind_Backtrace || !_Unwind_GetIP || !_Unwind_GetCFA) return place;
  struct unwinding unwinding = {place, 0, 0, false};
  interlock_marks.hidden++;
  _Unwind_Backtrace(unwind_step, &unwinding);
  interlock_marks.hidden--;
  uintptr_t top = top_of_reading(frame);
  if (!unwinding.found) {
    // Some of the toolchain's small functions have no unwind information: their caller's address is near.
    for (uintptr_t at = frame + 2 * sizeof(uintptr_t); at + sizeof(uintptr_t) <= top;
         at += sizeof(uintptr_t)) {
      if (!is_users(*(const uintptr_t *)at)) continue;
      unwinding.found = *(const uintptr_t *)at;
      unwinding.above = at + sizeof(uintptr_t);
      break;
    }
    if (!unwinding.found) return place;
  }
  uintptr_t stored_at = unwinding.above - sizeof(uintptr_t);
  if (stored_at <= frame || stored_at >= top || stored_at % 8) return unwinding.found;
  uint64_t way = most_steps + (stored_at - frame) / sizeof(uintptr_t);
  uintptr_t at = frame;
  for (uint64_t step = 1; step <= most_steps; step++) {
    uintptr_t next = *(const uintptr_t *)at;
    if (next <= at || next + 16 > top || next % 8) break;
    if (next + sizeof(uintptr_t) == stored_at) {
      way = step;
      break;
    }
    at = next;
  }
  // Relaxed: one word, and any that is found there is right.
  __atomic_store_n(&known->way, (place & 0xffffffffffff) | way << 48, __ATOMIC_RELAXED);
  return unwinding.found;
}

uintptr_t interlock_find_user_place(uintptr_t returns_to, uintptr_t *frame) {
  // A way is only kept for a place in a system library.
  known_way *known = &ways[(returns_to >> 1) % known_ways];
  uint64_t way = __atomic_load_n(&known->way, __ATOMIC_RELAXED);
  uintptr_t found;
  uintptr_t own_frame = *frame;
  if ((way & 0xffffffffffff) == returns_to && follow_way(known, way >> 48, frame, &found)) {
    return found;
  }
  *frame = own_frame;
  for (int index = 0; index < system_count; index++) {
    if (is_within(system_ranges[index], returns_to)) return unwind(returns_to, *frame, known);
  }
  return returns_to;
}

bool interlock_events_is_users(uintptr_t address) { return is_users(address); }
bool interlock_events_is_foundation(uintptr_t address) { return interlock_is_foundation(address); }

uintptr_t interlock_events_place(const interlock_event *event) {
  return event->frame ? interlock_user_place(event->place, event->frame) : event->place;
}

__attribute__((constructor(101))) static void prepare(void) { dl_iterate_phdr(note_object, NULL); }

#else

uintptr_t interlock_events_place(const interlock_event *event) { return event->place; }
bool interlock_events_is_users(uintptr_t address) {
  (void)address;
  return false;
}
bool interlock_events_is_foundation(uintptr_t address) {
  (void)address;
  return false;
}

#endif
