// The readers, and what every interposed call needs.
#include "interpose.h"

#ifdef INTERLOCK_INTERPOSES

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t interlock_wanted;
__thread interlock_thread_marks interlock_marks;
static __thread uint32_t own_number __attribute__((tls_model("initial-exec")));

typedef struct {
  interlock_reader reader;
  interlock_lock_reader locks;
  void *context;
  uint32_t kinds;
  bool is_leaf;
} reader_slot;

static reader_slot slots[INTERLOCK_READERS];
/// As many of the slots, from the first, as have ever been used.
static int used_slots;
/// Guards changes of the slots; those who publish only read them. Not a mutex: its calls are ours.
static int slots_lock;

static void lock_slots(void) {
  // Acquire and release: what one has changed, the next finds.
  while (__atomic_exchange_n(&slots_lock, 1, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
}

static void unlock_slots(void) { __atomic_store_n(&slots_lock, 0, __ATOMIC_RELEASE); }

void interlock_publish(const interlock_event *event) {
  int used = __atomic_load_n(&used_slots, __ATOMIC_RELAXED);
  for (int index = 0; index < used; index++) {
    reader_slot *slot = &slots[index];
    // Acquire: pairs with the release in `add`; who sees the kinds sees the rest.
    if (!(__atomic_load_n(&slot->kinds, __ATOMIC_ACQUIRE) & event->kind)) continue;
    interlock_reader reader = __atomic_load_n(&slot->reader, __ATOMIC_RELAXED);
    void *context = __atomic_load_n(&slot->context, __ATOMIC_RELAXED);
    if (__atomic_load_n(&slot->is_leaf, __ATOMIC_RELAXED)) {
      reader(event, context);
    } else {
      // The compiler keeps the mark around the call: it is to a function that it does not know.
      interlock_marks.hidden++;
      reader(event, context);
      interlock_marks.hidden--;
    }
  }
}

/// The same for an event in registers: leaf readers get it so.
void interlock_publish_lock_to_all(interlock_event_kind kind, interlock_object_kind object_kind,
                                   const void *object, uint32_t flags, uintptr_t place,
                                   uintptr_t frame) {
  int used = __atomic_load_n(&used_slots, __ATOMIC_RELAXED);
  for (int index = 0; index < used; index++) {
    reader_slot *slot = &slots[index];
    // Acquire: as in `interlock_publish`.
    if (!(__atomic_load_n(&slot->kinds, __ATOMIC_ACQUIRE) & kind)) continue;
    interlock_lock_reader locks = __atomic_load_n(&slot->locks, __ATOMIC_RELAXED);
    if (locks) {
      locks(kind, object_kind, object, flags, place, frame);
      continue;
    }
    interlock_event event = interlock_lock_event(kind, object_kind, object, flags, place, frame);
    interlock_reader reader = __atomic_load_n(&slot->reader, __ATOMIC_RELAXED);
    // Its mark, as there.
    bool is_leaf = __atomic_load_n(&slot->is_leaf, __ATOMIC_RELAXED);
    if (!is_leaf) interlock_marks.hidden++;
    reader(&event, __atomic_load_n(&slot->context, __ATOMIC_RELAXED));
    if (!is_leaf) interlock_marks.hidden--;
  }
}

interlock_only_reader interlock_only;

static void update_wanted(void) {
  uint32_t kinds = 0;
  int count = 0;
  const reader_slot *last = NULL;
  const uint32_t of_locks = INTERLOCK_EVENT_WAIT | INTERLOCK_EVENT_ACQUIRE |
                            INTERLOCK_EVENT_GIVE_UP | INTERLOCK_EVENT_RELEASE;
  interlock_lock_reader locks[INTERLOCK_READERS + 1] = {NULL};
  bool all_read_locks = true;
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    if (!slots[index].kinds) continue;
    kinds |= slots[index].kinds;
    last = &slots[index];
    locks[count++] = slots[index].locks;
    if (!slots[index].locks || (slots[index].kinds & of_locks) != of_locks) all_read_locks = false;
  }
  // A thread that has just found the last one may still call it, with kinds that are the next one's: as whoever is
  // removed may.
  __atomic_store_n(&interlock_only.reader, NULL, __ATOMIC_RELEASE);
  for (int index = 0; index <= INTERLOCK_READERS; index++) {
    __atomic_store_n(&interlock_only.locks[index], NULL, __ATOMIC_RELEASE);
  }
  if (count == 1 && last->is_leaf) {
    __atomic_store_n(&interlock_only.kinds, last->kinds, __ATOMIC_RELAXED);
    __atomic_store_n(&interlock_only.reader, last->reader, __ATOMIC_RELEASE);
  }
  // The first one last: who sees it sees the others.
  for (int index = count; all_read_locks && index-- > 0;) {
    __atomic_store_n(&interlock_only.locks[index], locks[index], __ATOMIC_RELEASE);
  }
  // Relaxed: when a thread begins to publish is of no account.
  __atomic_store_n(&interlock_wanted, kinds, __ATOMIC_RELAXED);
}

static bool add(interlock_reader reader, interlock_lock_reader locks, void *context,
                uint32_t kinds, bool is_leaf) {
  bool added = false;
  lock_slots();
  for (int index = 0; index < INTERLOCK_READERS && !added; index++) {
    if (slots[index].kinds) continue;
    __atomic_store_n(&slots[index].context, context, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].reader, reader, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].locks, locks, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].is_leaf, is_leaf, __ATOMIC_RELAXED);
    __atomic_store_n(&slots[index].kinds, kinds, __ATOMIC_RELEASE);
    // Relaxed: who does not see the number yet hears of the next call.
    if (index >= used_slots) __atomic_store_n(&used_slots, index + 1, __ATOMIC_RELAXED);
    added = true;
  }
  update_wanted();
  unlock_slots();
  return added;
}

bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds) {
  return add(reader, NULL, context, kinds, false);
}

bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds) {
  return add(reader, locks, NULL, kinds, true);
}

void interlock_events_remove(interlock_reader reader, void *context) {
  lock_slots();
  for (int index = 0; index < INTERLOCK_READERS; index++) {
    if (slots[index].reader != reader || slots[index].context != context) continue;
    // The function and the context stay: somebody may just be reading them.
    __atomic_store_n(&slots[index].kinds, 0, __ATOMIC_RELEASE);
  }
  update_wanted();
  unlock_slots();
}

void interlock_events_hide_thread(bool hidden) {
  if (hidden) {
    interlock_marks.hidden++;
  } else {
    interlock_marks.hidden--;
  }
}

void *interlock_find_real(const char *name) {
  // The plain lookup gives glibc's oldest condition variables, of another layout.
#if defined(__x86_64__)
  if (strncmp(name, "pthread_cond_", 13) == 0) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (found) return found;
  }
#endif
  return dlsym(RTLD_NEXT, name);
}

uint32_t interlock_thread_id(void) {
  if (!own_number) own_number = (uint32_t)syscall(SYS_gettid);
  return own_number;
}

static void forked(void) {
  own_number = 0;
  // Another thread may just have had it, and is not here.
  unlock_slots();
}

// What lies where: libraries whose callers count, and code that a user may have written.

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

void interlock_events_tell(const interlock_event *event) {
  if (is_wanted(event->kind)) interlock_publish(event);
}

uintptr_t interlock_events_place(const interlock_event *event) {
  return event->frame ? interlock_user_place(event->place, event->frame) : event->place;
}

__attribute__((constructor(101))) static void prepare(void) {
  dl_iterate_phdr(note_object, NULL);
  pthread_atfork(NULL, NULL, forked);
}

interlock_events_availability interlock_events_available(void) {
  // Where libdispatch is a library of its own, there is a next definition after ours.
  if (dlsym(RTLD_NEXT, "dispatch_async") == NULL) return INTERLOCK_EVENTS_WITHOUT_DISPATCH;
  return INTERLOCK_EVENTS_ALL;
}

#else

bool interlock_events_add(interlock_reader reader, void *context, uint32_t kinds) {
  (void)reader, (void)context, (void)kinds;
  return false;
}
bool interlock_events_add_leaf(interlock_reader reader, interlock_lock_reader locks,
                               uint32_t kinds) {
  (void)reader, (void)locks, (void)kinds;
  return false;
}
void interlock_events_remove(interlock_reader reader, void *context) {
  (void)reader;
  (void)context;
}
void interlock_events_hide_thread(bool hidden) { (void)hidden; }
uintptr_t interlock_events_place(const interlock_event *event) { return event->place; }
bool interlock_events_is_users(uintptr_t address) {
  (void)address;
  return false;
}
bool interlock_events_is_foundation(uintptr_t address) {
  (void)address;
  return false;
}
void interlock_events_tell(const interlock_event *event) { (void)event; }

interlock_events_availability interlock_events_available(void) {
#if defined(INTERLOCK_UNSEEN_CALLS)
  return INTERLOCK_EVENTS_NONE_TRAIT;
#elif defined(INTERLOCK_SANITIZED)
  return INTERLOCK_EVENTS_NONE_SANITIZER;
#else
  return INTERLOCK_EVENTS_NONE_SYSTEM;
#endif
}

#endif
