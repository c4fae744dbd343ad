// Finds the call site in the user's code of a call that a library makes.
#include "code_ranges.h"

#ifdef INTERLOCK_INTERPOSES

/// True if the explorer has replaced the instruction before an address by a jump, which then acts
/// as a call. NULL in a program that does not explore.
bool interlock_follows_led(uintptr_t address) __attribute__((weak));

/// True if the instruction before an address is a call: only then can a call return to the address.
static bool follows_call(uintptr_t address) {
#if defined(__x86_64__)
  const unsigned char *code = (const unsigned char *)address;
  if (code[-5] == 0xe8) return true;
  // An indirect call: ff /2 with a register, or with memory and a displacement of 0, 1 or 4 bytes.
  if (code[-2] == 0xff && (code[-1] & 0x38) == 0x10) return true;
  if (code[-3] == 0xff && (code[-2] & 0x38) == 0x10) return true;
  if (code[-4] == 0xff && (code[-3] & 0x38) == 0x10) return true;
  if (code[-6] == 0xff && (code[-5] & 0x38) == 0x10) return true;
  return interlock_follows_led && interlock_follows_led(address);
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

/// True if an address, which may be any word of a stack, follows a call in user code that was
/// loaded at the start.
static bool is_known_users(uintptr_t address) {
  // A return address may lie just behind its function, so test one byte before.
  if (interlock_is_between(address - 1)) return false;
  const interlock_code_range *code = interlock_find_range(&interlock_user_code, address);
  return code && address >= code->low + 8 && follows_call(address);
}

/// Like `is_known_users`, for a return address, whose code may have been loaded later or unloaded.
static bool is_users(uintptr_t address) {
  if (interlock_find_range(&interlock_user_code, address)) return is_known_users(address);
  return !interlock_find_range(&interlock_system_code, address) &&
         interlock_look_up_code(address) == &interlock_user_code && follows_call(address);
}

/// The limit for reading a stack. Not above the thread's control block, which glibc puts at the top
/// of the stacks that it makes; above the main thread's stack is the environment.
static uintptr_t top_of_reading(uintptr_t frame) {
  enum { farthest = 8192 };
  uintptr_t top = frame + farthest;
  uintptr_t control = (uintptr_t)__builtin_thread_pointer();
  return control > frame && control < top ? control : top;
}

// The unwinder finds each caller's return address, but is too slow for each call. The sizes of the
// frames that it has seen are kept, and lead to the user's code the next time.

enum { known_frames = 4096, most_probes = 8, largest_frame = 0xfffd, varies, is_outermost };
/// A return address in system code, in the low 48 bits. Above them the size of its caller's frame:
/// the distance in words between the stack words above the two return addresses. An entry never
/// changes its address.
static uint64_t frame_sizes[known_frames];

/// Returns the entry of a return address, or the empty entry where it belongs; NULL if there is no
/// room.
static uint64_t *frame_size(uintptr_t address, uint64_t *known) {
  uint64_t first = (address * 0x9e3779b97f4a7c15) >> 52;
  for (uint64_t probe = 0; probe < most_probes; probe++) {
    uint64_t *entry = &frame_sizes[(first + probe) % known_frames];
    // Relaxed: one word, which refers to nothing else.
    *known = __atomic_load_n(entry, __ATOMIC_RELAXED);
    if (!*known || (*known & 0xffffffffffff) == address) return entry;
  }
  return NULL;
}

static void note_frame(uintptr_t address, uint64_t size) {
  uint64_t known, *entry;
  // Repeats if another thread fills the empty entry first, with this address or another.
  while ((entry = frame_size(address, &known)) && !known) {
    // Relaxed: see `frame_size`.
    if (__atomic_compare_exchange_n(entry, &known, address | size << 48, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return;
    }
  }
  if (entry && known >> 48 != size) {
    __atomic_store_n(entry, address | (uint64_t)varies << 48, __ATOMIC_RELAXED);
  }
}

/// Looks for the user's code by the sizes of the frames, from a frame that returns to a place in a
/// system library. Returns 0 if the size of a frame on the way is unknown, and `place` itself if
/// the thread runs no user's code.
static uintptr_t follow_frames(uintptr_t place, uintptr_t frame) {
  uintptr_t top = top_of_reading(frame), above = frame + 2 * sizeof(uintptr_t), address = place;
  while (true) {
    uint64_t known = 0;
    if (!frame_size(address, &known) || !known || known >> 48 == varies) break;
    uint64_t size = known >> 48;
    if (size == is_outermost) return place;
    above += size * sizeof(uintptr_t);
    if (above > top) return 0;
    address = ((const uintptr_t *)above)[-1];
  }
  return address != place && is_known_users(address) ? address : 0;
}

struct unwinding {
  uintptr_t system_place;
  uintptr_t found;
  /// The return address in the last frame, and the stack word above it; 0 before the place is
  /// reached.
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
    // 0 comes only after the thread's first function, whose caller is marked as undefined.
    note_frame(unwinding->last, is_outermost);
    unwinding->is_complete = true;
    return ends;
  }
  // Here a frame's CFA is its stack pointer before it made its call, just above the return address.
  uintptr_t above = _Unwind_GetCFA(context);
  if (unwinding->last) {
    uintptr_t size = (above - unwinding->above_last) / sizeof(uintptr_t);
    bool is_below = size && size <= largest_frame && ((const uintptr_t *)above)[-1] == address;
    note_frame(unwinding->last, is_below ? size : varies);
    if (is_users(address)) {
      unwinding->found = address;
      return ends;
    }
  }
  unwinding->last = address;
  unwinding->above_last = above;
  return goes_on;
}

static uintptr_t unwind(uintptr_t place, uintptr_t frame) {
  if (!_Unwind_Backtrace || !_Unwind_GetIP || !_Unwind_GetCFA) return place;
  struct unwinding unwinding = {.system_place = place};
  interlock_marks.hidden++;
  _Unwind_Backtrace(unwind_step, &unwinding);
  interlock_marks.hidden--;
  if (unwinding.is_complete) return place;
  if (unwinding.found) return unwinding.found;
  // Some small functions of the toolchain have no unwind information. Their caller's return address
  // is near.
  uintptr_t first = frame + 2 * sizeof(uintptr_t), top = top_of_reading(frame);
  for (uintptr_t at = first; at + sizeof(uintptr_t) <= top; at += sizeof(uintptr_t)) {
    uintptr_t address = *(const uintptr_t *)at;
    if (!is_users(address)) continue;
    note_frame(place, (at + sizeof(uintptr_t) - first) / sizeof(uintptr_t));
    return address;
  }
  return place;
}

uintptr_t interlock_find_user_place(uintptr_t returns_to, uintptr_t frame) {
  // Frame sizes are noted only for a place in a system library.
  uintptr_t found = follow_frames(returns_to, frame);
  if (found) return found;
  bool is_system = interlock_find_range(&interlock_system_code, returns_to) ||
                   (!interlock_find_range(&interlock_user_code, returns_to) &&
                    interlock_look_up_code(returns_to) == &interlock_system_code);
  return is_system ? unwind(returns_to, frame) : returns_to;
}

static bool is_of_overlay(uintptr_t address) {
  interlock_code_range code = interlock_dispatch_overlay_code;
  return address - code.low < code.size;
}

struct origin {
  uintptr_t place;
  bool has_begun, is_users;
};

static int look_for_origin(unwind_context *context, void *argument) {
  enum { goes_on = 0, ends = 5 };
  struct origin *origin = argument;
  uintptr_t address = _Unwind_GetIP(context);
  if (!address) return ends;
  if (!origin->has_begun) {
    origin->has_begun = address == origin->place;
    return goes_on;
  }
  if (is_of_overlay(address)) return goes_on;
  origin->is_users = is_users(address);
  return ends;
}

bool interlock_is_users_call(uintptr_t returns_to, uintptr_t frame) {
  if (!is_of_overlay(returns_to)) return is_users(returns_to);
  // Use the sizes of the frames, if they are known.
  uintptr_t top = top_of_reading(frame), above = frame + 2 * sizeof(uintptr_t);
  for (uintptr_t address = returns_to; is_of_overlay(address);) {
    uint64_t known = 0;
    if (!frame_size(address, &known) || !known || known >> 48 == varies) break;
    if (known >> 48 == is_outermost) return false;
    above += (known >> 48) * sizeof(uintptr_t);
    if (above > top) break;
    address = ((const uintptr_t *)above)[-1];
    if (!is_of_overlay(address)) return is_users(address);
  }
  if (!_Unwind_Backtrace || !_Unwind_GetIP) return false;
  struct origin origin = {.place = returns_to};
  interlock_marks.hidden++;
  _Unwind_Backtrace(look_for_origin, &origin);
  interlock_marks.hidden--;
  return origin.is_users;
}

struct collection {
  /// The place at which to begin; 0 for the first frame.
  uintptr_t place;
  bool has_begun, has_ended;
  uintptr_t *frames;
  size_t count, room;
  /// The number of frames walked: limits the walk of a damaged stack.
  int walked;
};

static int collect(unwind_context *context, void *argument) {
  enum { goes_on = 0, ends = 5, most_frames = 160 };
  struct collection *found = argument;
  uintptr_t address = _Unwind_GetIP(context);
  if (!address || found->walked++ == most_frames) {
    found->has_ended = true;
    return ends;
  }
  if (address == found->place) found->has_begun = true;
  if (found->has_begun && is_users(address)) found->frames[found->count++] = address;
  if (found->count < found->room) return goes_on;
  found->has_ended = true;
  return ends;
}

/// Returns the caller's frame by frame pointers; NULL at the end of the chain.
static const uintptr_t *next_frame(const uintptr_t *frame) {
  enum { farthest = 8192 };
  const uintptr_t *next = (const uintptr_t *)frame[0];
  bool is_near = next > frame && (uintptr_t)next - (uintptr_t)frame < farthest &&
                 (uintptr_t)next % sizeof *next == 0;
  return is_near ? next : NULL;
}

/// Continues where the unwinder ended: at a small function of the toolchain without unwind
/// information, which leaves the frame pointer unchanged. Its caller's return address is near.
static void collect_behind_gap(struct collection *found, const uintptr_t *frame) {
  if (!found->place) {
    found->count = 0;
    while (frame && !interlock_is_between(frame[1])) frame = next_frame(frame);
    if (frame) frame = next_frame(frame);
    if (!frame) return;
  }
  const uintptr_t *top = (const uintptr_t *)top_of_reading((uintptr_t)frame);
  const uintptr_t *at = frame + (found->place ? 0 : 2);
  while (at < top && (found->place ? *at != found->place : !is_users(*at))) at++;
  if (at >= top) return;
  found->frames[found->count++] = *at;
  while (frame && frame <= at) frame = next_frame(frame);
  for (; frame && found->count < found->room; frame = next_frame(frame)) {
    if (is_users(frame[1])) found->frames[found->count++] = frame[1];
  }
}

_Thread_local const uintptr_t *interlock_async_frames;

size_t interlock_user_stack(uintptr_t place, uintptr_t *frames, size_t room) {
  const uintptr_t *waiting = interlock_async_frames;
  // An execution that was given up may have left the frames of its last call: they lie on this
  // thread's stack, and do not begin with the place of another call.
  if (waiting && place && *waiting == place + 1) {
    size_t count = 0;
    for (; *waiting && count < room; waiting++) {
      if (interlock_look_up_code(*waiting) == &interlock_user_code) frames[count++] = *waiting;
    }
    return count;
  }
  if (!_Unwind_Backtrace || !_Unwind_GetIP || !room) return 0;
  // A place that is no code is on no stack: the line of a section, for example.
  if (place && !is_users(place)) return 0;
  struct collection found = {
      .place = place, .has_begun = place == 0, .frames = frames, .room = room};
  interlock_marks.hidden++;
  _Unwind_Backtrace(collect, &found);
  if (!found.has_begun || (!place && !found.has_ended)) {
    collect_behind_gap(&found, __builtin_frame_address(0));
  }
  interlock_marks.hidden--;
  return found.count;
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
