// Where a call comes from: which code is a user's, and which line of it led into a library.
#include "interpose.h"

#include <string.h>

/// Whether a library's name is this one up to the first dot.
static bool is_named(const char *name, const char *asked) {
  size_t length = strlen(asked);
  return strncmp(name, asked, length) == 0 && (name[length] == '.' || name[length] == 0);
}

bool interlock_events_is_system_library(const char *name) {
  // By whole names: a user may call a library `libswiftlog`. A library that is missing here counts
  // as a user's: an order of its locks is seen too many, and none too few.
  static const char *const systems[] = {
      "libc", "libm", "libpthread", "libdl", "librt", "libgcc_s", "libstdc++", "linux-vdso",
      "ld-linux-x86-64", "ld-linux-aarch64", "libBlocksRuntime", "libdispatch", "libswiftCore",
      "libswift_Concurrency", "libswift_StringProcessing", "libswift_RegexParser",
      "libswift_Differentiation", "libswift_Builtin_float", "libswift_Volatile",
      "libswift_Backtracing", "libswiftRuntime", "libswiftRegexBuilder", "libswiftSynchronization",
      "libswiftObservation", "libswiftDistributed", "libswiftDispatch", "libswiftGlibc",
      "libswiftSwiftOnoneSupport", "libswiftRemoteMirror", "libFoundation",
      "libFoundationEssentials", "libFoundationInternationalization", "libFoundationNetworking",
      "libFoundationXML", "lib_FoundationICU", "libTesting", "lib_TestingInterop",
      "lib_Testing_Foundation", "lib_InternalSwiftStaticMirror", "libXCTest"};
  for (size_t index = 0; index < sizeof systems / sizeof *systems; index++) {
    if (is_named(name, systems[index])) return true;
  }
  return false;
}

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak));
#endif

typedef interlock_code_range range;

/// Code of one kind, as it was at the start.
enum { most_ranges = 128 };
typedef struct {
  range list[most_ranges];
  int count;
} ranges;
static ranges system_code, user_code;
static range concurrency_range, testing_range, xctest_range;
range interlock_dispatch_code;
/// May be opened late, by a library that a program opens: changed while other threads read it.
range interlock_foundation_code;
uintptr_t interlock_own_code, interlock_own_code_size;

static bool is_within(range range, uintptr_t address) {
  return address - range.low < range.size;
}

static const range *find_range(const ranges *known, uintptr_t address) {
  for (int index = 0; index < known->count; index++) {
    if (is_within(known->list[index], address)) return &known->list[index];
  }
  return NULL;
}

static void add_range(ranges *known, range code) {
  if (known->count < most_ranges) known->list[known->count++] = code;
}

/// The name of a library without its folder; of the executable, nothing.
static const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path ? path : "";
}

bool interlock_is_concurrency(uintptr_t address) { return is_within(concurrency_range, address); }

bool interlock_is_xctest(uintptr_t address) { return is_within(xctest_range, address); }
bool interlock_is_testing(uintptr_t address) { return is_within(testing_range, address); }

static void note_foundation(range code) {
  __atomic_store_n(&interlock_foundation_code.low, code.low, __ATOMIC_RELAXED);
  __atomic_store_n(&interlock_foundation_code.size, code.size, __ATOMIC_RELAXED);
}

/// What of a module is code; nothing else of it may be mapped.
static range code_of(uintptr_t base, const ElfW(Phdr) *headers, int count) {
  uintptr_t first = UINTPTR_MAX, end = 0;
  for (int index = 0; index < count; index++) {
    const ElfW(Phdr) *header = &headers[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    uintptr_t low = base + header->p_vaddr;
    if (low < first) first = low;
    if (low + header->p_memsz > end) end = low + header->p_memsz;
  }
  return first < end ? (range){first, end - first} : (range){0, 0};
}

static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  range code = code_of(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
  if (code.size == 0) return 0;
  // The executable is the first, and has no name.
  if (!interlock_own_code) {
    interlock_own_code = code.low;
    interlock_own_code_size = code.size;
  }
  const char *name = base_name(info->dlpi_name);
  if (is_named(name, "libdispatch")) interlock_dispatch_code = code;
  if (is_named(name, "libswift_Concurrency")) concurrency_range = code;
  if (is_named(name, "libFoundation")) note_foundation(code);
  if (is_named(name, "libTesting")) testing_range = code;
  if (is_named(name, "libXCTest")) xctest_range = code;
  add_range(interlock_events_is_system_library(name) ? &system_code : &user_code, code);
  return 0;
}

/// Of code that is in no range, for it was opened later or found no room: which kind it is; NULL
/// where there is no code. Without a lock of the loader's: whoever asks may hold what somebody
/// waits for who has that. Nothing is kept: a module that was opened later may be closed.
static const ranges *look_up(uintptr_t address) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object found;
  if (!_dl_find_object || _dl_find_object((void *)address, &found) != 0) return NULL;
  // The module's first page begins with its header, and nearly always has the list of its segments.
  enum { page = 4096 };
  const ElfW(Ehdr) *header = found.dlfo_map_start;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
  if (header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > page) return NULL;
  range code = code_of(found.dlfo_link_map->l_addr,
                       (const void *)((uintptr_t)header + header->e_phoff), header->e_phnum);
  // Behind a call, whose bytes are looked at.
  if (!is_within(code, address) || address < code.low + 8) return NULL;
  const char *name = base_name(found.dlfo_link_map->l_name);
  // What opened it may be closed again; Foundation itself stays, as every library of Swift does.
  if (is_named(name, "libFoundation")) note_foundation(code);
  return interlock_events_is_system_library(name) ? &system_code : &user_code;
#else
  (void)address;
  return NULL;
#endif
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

bool interlock_is_between(uintptr_t address) {
  uintptr_t between = (uintptr_t)__start_interlock_between;
  return address - between < (uintptr_t)__stop_interlock_between - between;
}

bool interlock_is_own_code(uintptr_t address) {
  return address - interlock_own_code < interlock_own_code_size;
}

/// Whether an address, which may be any word of a stack, is in a user's code of the start, behind a
/// call.
static bool is_known_users(uintptr_t address) {
  // The address to which a call returns may be the first behind the last function.
  if (interlock_is_between(address - 1)) return false;
  const range *code = find_range(&user_code, address);
  return code && address >= code->low + 8 && follows_call(address);
}

/// The same for an address to which a call returns or did: its code may be of later, or gone.
static bool is_users(uintptr_t address) {
  if (find_range(&user_code, address)) return is_known_users(address);
  return !find_range(&system_code, address) && look_up(address) == &user_code &&
         follows_call(address);
}

/// What a stack is read to: nothing above the thread's control block, which lies at the top of the
/// stacks that glibc makes; the main thread has its environment there.
static uintptr_t top_of_reading(uintptr_t frame) {
  enum { farthest = 8192 };
  uintptr_t top = frame + farthest;
  uintptr_t control = (uintptr_t)__builtin_thread_pointer();
  return control > frame && control < top ? control : top;
}

// The unwinder knows where each caller's return address is, and is too slow to ask at each call.
// Where it was found once for a place in a system library, it is found again: so many frames up by
// the frame pointers, or so far up.

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
  // Of a frame, this is where the stack stood when it had made its call, less that call's return
  // address.
  unwinding->above = _Unwind_GetCFA(context);
  return ends;
}

enum { known_ways = 256, most_steps = 6 };
typedef struct {
  /// The place's 48 bits, and above them the way: a number of frames, or `most_steps` plus a
  /// distance in words.
  uint64_t way;
  /// What was found last, which is known to be a user's, whatever way led there: a loop finds the
  /// same again.
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
  if (!is_known_users(*found)) return false;
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
    // Some of the toolchain's small functions have no unwind information: their caller's address is
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
  bool is_system = find_range(&system_code, returns_to) ||
                   (!find_range(&user_code, returns_to) && look_up(returns_to) == &system_code);
  return is_system ? unwind(returns_to, *frame, known) : returns_to;
}

bool interlock_is_code(uintptr_t address) {
  return find_range(&user_code, address) || find_range(&system_code, address) || look_up(address);
}

bool interlock_events_is_users(uintptr_t address) { return is_users(address); }
bool interlock_events_is_concurrency(uintptr_t address) { return interlock_is_concurrency(address); }

bool interlock_events_makes_task(void) { return interlock_marks.makes_task > 0; }

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
bool interlock_events_is_concurrency(uintptr_t address) {
  (void)address;
  return false;
}

bool interlock_events_makes_task(void) { return false; }

bool interlock_events_is_foundation(uintptr_t address) {
  (void)address;
  return false;
}

#endif
