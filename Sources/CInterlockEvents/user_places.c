// Finds the call site in the user's code for a call that a library makes.
#include "code_ranges.h"

#ifdef INTERLOCK_INTERPOSES

/// Whether the instruction before an address is a call: only then can a call return to it.
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

bool interlock_is_between(uintptr_t address) {
  uintptr_t between = (uintptr_t)__start_interlock_between;
  return address - between < (uintptr_t)__stop_interlock_between - between;
}

/// Whether an address, which may be any word of a stack, follows a call in user code that was
/// loaded at the start.
static bool is_known_users(uintptr_t address) {
  // A return address may lie just behind its function.
  if (interlock_is_between(address - 1)) return false;
  const interlock_code_range *code = interlock_find_range(&interlock_user_code, address);
  return code && address >= code->low + 8 && follows_call(address);
}

/// As `is_known_users`, for a return address, whose code may have been loaded later, or unloaded.
static bool is_users(uintptr_t address) {
  if (interlock_find_range(&interlock_user_code, address)) return is_known_users(address);
  return !interlock_find_range(&interlock_system_code, address) &&
         interlock_look_up_code(address) == &interlock_user_code && follows_call(address);
}

/// The limit for reading a stack: not above the thread's control block, which glibc puts at the top
/// of the stacks it makes; the main thread has its environment there.
static uintptr_t top_of_reading(uintptr_t frame) {
  enum { farthest = 8192 };
  uintptr_t top = frame + farthest;
  uintptr_t control = (uintptr_t)__builtin_thread_pointer();
  return control > frame && control < top ? control : top;
}

// The unwinder finds each caller's return address, but is too slow for each call. Its result is
// kept for a place in a system library, as a number of frames by the frame pointers, or as a
// distance on the stack. That way leads to one caller; where a place has several, the sizes of
// the frames that the unwinder has seen lead to each.

enum { known_frames = 4096, largest_frame = 0xfffd, varies, is_outermost };
/// A return address in system code in the low 48 bits, and above them the distance in words from
/// the stack word above it to the one above its caller's return address. Found by a hash of the
/// return address; no entry is ever replaced.
static uint64_t frame_sizes[known_frames];

static uint64_t *frame_size(uintptr_t address) {
  return &frame_sizes[(address * 0x9e3779b97f4a7c15) >> 52];
}

static void note_frame(uintptr_t address, uint64_t size) {
  uint64_t *known = frame_size(address), expected = 0, mine = address & 0xffffffffffff;
  // Relaxed: one word, which refers to nothing else.
  if (__atomic_compare_exchange_n(known, &expected, mine | size << 48, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    return;
  }
  if ((expected & 0xffffffffffff) == mine && expected >> 48 != size) {
    __atomic_store_n(known, mine | (uint64_t)varies << 48, __ATOMIC_RELAXED);
  }
}

/// Looks for the user's code by the sizes of the frames, from one that returns to a place in a
/// system library. Returns false if a frame on the way is unknown; `found` is 0 if the thread runs
/// no user's code.
static bool follow_frames(uintptr_t place, uintptr_t frame, uintptr_t *found) {
  uintptr_t top = top_of_reading(frame), above = frame + 2 * sizeof(uintptr_t), address = place;
  while (true) {
    uint64_t known = __atomic_load_n(frame_size(address), __ATOMIC_RELAXED);
    uint64_t size = known >> 48;
    if (!known || (known & 0xffffffffffff) != address || size == varies) break;
    *found = 0;
    if (size == is_outermost) return true;
    above += size * sizeof(uintptr_t);
    if (above > top) return false;
    address = ((const uintptr_t *)above)[-1];
  }
  *found = address;
  return address != place && is_known_users(address);
}

struct unwinding {
  uintptr_t system_place;
  uintptr_t found;
  /// Just above the stack word that contains `found`.
  uintptr_t above;
  /// The frame before, and the stack word above its return address; 0 before the place.
  uintptr_t last, above_last;
  bool is_complete;
};

typedef struct _Unwind_Context unwind_context;
extern int _Unwind_Backtrace(int (*step)(unwind_context *, void *), void *) __attribute__((weak));
extern uintptr_t _Unwind_GetIP(unwind_context *) __attribute__((weak));
extern uintptr_t _Unwind_GetCFA(unwind_context *) __attribute__((weak));

static int unwind_step(unwind_context *context, void *argument) {
  enum { goes_on = 0, ends = 5 };
  struct unwinding *unwinding = argument;
  uintptr_t address = _Unwind_GetIP(context);
  if (!unwinding->last && address != unwinding->system_place) return goes_on;
  if (!address) {
    // Only behind the thread's first function, whose caller is marked as undefined.
    note_frame(unwinding->last, is_outermost);
    unwinding->is_complete = true;
    return ends;
  }
  // A frame's CFA here is its stack pointer before it made its call: the return address is just
  // below.
  uintptr_t above = _Unwind_GetCFA(context);
  if (unwinding->last) {
    uintptr_t size = (above - unwinding->above_last) / sizeof(uintptr_t);
    bool is_below = size && size <= largest_frame && ((const uintptr_t *)above)[-1] == address;
    note_frame(unwinding->last, is_below ? size : varies);
    if (is_users(address)) {
      unwinding->found = address;
      unwinding->above = above;
      return ends;
    }
  }
  unwinding->last = address;
  unwinding->above_last = above;
  return goes_on;
}

enum { known_ways = 256, most_steps = 6 };
typedef struct {
  /// The call's place in the low 48 bits, and above them the way: a number of frames, or
  /// `most_steps` plus a distance in words.
  uint64_t way;
  /// The last result, which is known to be in the user's code: a loop finds the same one again.
  uintptr_t last;
} known_way;
/// Indexed by a hash of the place.
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
  // Relaxed: one word, and every value stored there is a user's address.
  if (*found == __atomic_load_n(&known->last, __ATOMIC_RELAXED)) return true;
  if (!is_known_users(*found)) return false;
  __atomic_store_n(&known->last, *found, __ATOMIC_RELAXED);
  return true;
}

static uintptr_t unwind(uintptr_t place, uintptr_t frame, known_way *known) {
  if (!_Unwind_Backtrace || !_Unwind_GetIP || !_Unwind_GetCFA) return place;
  struct unwinding unwinding = {.system_place = place};
  interlock_marks.hidden++;
  _Unwind_Backtrace(unwind_step, &unwinding);
  interlock_marks.hidden--;
  if (unwinding.is_complete) return place;
  uintptr_t top = top_of_reading(frame);
  if (!unwinding.found) {
    // Some small functions of the toolchain have no unwind information; their caller's address is
    // near.
    for (uintptr_t at = frame + 2 * sizeof(uintptr_t); at + sizeof(uintptr_t) <= top;
         at += sizeof(uintptr_t)) {
      if (!is_known_users(*(const uintptr_t *)at)) continue;
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
  // Relaxed: one word, and every value stored there is right.
  __atomic_store_n(&known->way, (place & 0xffffffffffff) | way << 48, __ATOMIC_RELAXED);
  return unwinding.found;
}

uintptr_t interlock_find_user_place(uintptr_t returns_to, uintptr_t *frame) {
  // A way is stored only for a place in a system library.
  known_way *known = &ways[(returns_to >> 1) % known_ways];
  uint64_t way = __atomic_load_n(&known->way, __ATOMIC_RELAXED);
  uintptr_t found;
  uintptr_t own_frame = *frame;
  if ((way & 0xffffffffffff) == returns_to && follow_way(known, way >> 48, frame, &found)) {
    return found;
  }
  *frame = own_frame;
  bool is_system = interlock_find_range(&interlock_system_code, returns_to) ||
                   (!interlock_find_range(&interlock_user_code, returns_to) &&
                    interlock_look_up_code(returns_to) == &interlock_system_code);
  if (!is_system) return returns_to;
  if (follow_frames(returns_to, own_frame, &found)) return found ? found : returns_to;
  return unwind(returns_to, own_frame, known);
}

uintptr_t interlock_find_caller(uintptr_t returns_to, uintptr_t frame) {
  uintptr_t outer = interlock_events_outer(frame, returns_to);
  return outer && is_users(outer) ? outer : returns_to;
}

bool interlock_events_is_users(uintptr_t address) { return is_users(address); }
uintptr_t interlock_events_place(const interlock_event *event) {
  return event->frame ? interlock_user_place(event->place, event->frame) : event->place;
}

#else

uintptr_t interlock_events_place(const interlock_event *event) { return event->place; }
bool interlock_events_is_users(uintptr_t address) {
  (void)address;
  return false;
}
#endif
