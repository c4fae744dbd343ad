// References to objects. Everything that a thread did with an object before it released its
// reference comes before everything that another thread does after it finds itself the only owner:
// for example, an array that was shared, copied, and is then changed in place. Only the reference
// count orders the two, and neither the compiler nor an interposed call shows it. So each release
// is recorded in the shadow of the object's count, which no code of the user's accesses. The last
// release needs no record: the memory is freed, and its accesses are forgotten.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>

typedef void release_call(void *);
typedef void release_many_call(void *, uint32_t);

// The runtime calls these functions in place of its own once the flag is set.
extern release_call *_swift_release __attribute__((weak));
extern release_many_call *_swift_release_n __attribute__((weak));
extern bool _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly
    __attribute__((weak));
static release_call *real_release;
static release_many_call *real_release_many;

/// The count is the second word of an object.
enum { count_offset = 8 };
/// Marks a unit whose object more slots have released than the unit has cells.
static const shadow_cell by_many = ~(shadow_cell)0xff;

static inline shadow_leaf *leaf_of(uintptr_t object, size_t *unit) {
  uintptr_t count = object + count_offset;
  *unit = unit_at(count);
  return object && !(count >> address_bits) ? leaf_at(count) : NULL;
}

/// Records a release. Without a leaf, no thread has accessed the object.
static inline void note_release(uintptr_t object) {
  memory_thread *own = interlock_memory_thread;
  if (!own) return;
  size_t unit;
  shadow_leaf *leaf = leaf_of(object, &unit);
  if (!leaf) return;
  shadow_cell now = epoch_of(own);
  for (int index = 0; index < cells_in_unit; index++) {
    mark_used(leaf, index, unit);
    // Relaxed, all: the reference count's own operation orders the record before the check.
    shadow_cell found = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    if (found == now || found == by_many) return;
    bool is_own = is_reference(found) && cell_slot(found) == cell_slot(now);
    if (found && !is_own) continue;
    if (__atomic_compare_exchange_n(&leaf->cells[index][unit], &found, now, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return;
    }
  }
  __atomic_store_n(&leaf->cells[cells_in_unit - 1][unit], by_many, __ATOMIC_RELAXED);
}

static void release(void *object) {
  note_release((uintptr_t)object);
  real_release(object);
}
static void release_many(void *object, uint32_t count) {
  note_release((uintptr_t)object);
  real_release_many(object, count);
}

/// Orders the thread after another thread's release: after that thread's epoch, and after
/// everything that is ordered before it.
static void come_after(thread_clock *own, shadow_cell cell) {
  uint32_t slot = cell_slot(cell);
  uint64_t count = cell_count(cell);
  if (slot == own->slot) {
    if (count > own->seen_own) own->seen_own = count;
    return;
  }
  if (own->clock.counts[slot] >= count) return;
  // Acquire: pairs with the release in `interlock_memory_follow_clock`.
  const thread_clock *other =
      __atomic_load_n(&interlock_memory_of_slot(slot)->clock, __ATOMIC_ACQUIRE);
  uint32_t used = __atomic_load_n(&interlock_clock_slots_used, __ATOMIC_RELAXED);
  for (uint32_t index = 0; index < used && other; index++) {
    if (index == own->slot || index == slot) continue;
    // Relaxed: the other clock may have grown since, which can only hide a race.
    uint64_t known = __atomic_load_n(&other->clock.counts[index], __ATOMIC_RELAXED);
    if (known > own->clock.counts[index]) own->clock.counts[index] = known;
  }
  own->clock.counts[slot] = count;
  own->lessons++;
}

/// Called when the calling thread has the only reference to an object.
static void is_only_owner(uintptr_t object) {
  memory_thread *own = interlock_memory_thread;
  if (!own || is_interrupted(own)) return;
  // The thread may run another task than at its last access: bring its clock up to date.
  (void)epoch_of(own);
  size_t unit;
  const shadow_leaf *leaf = leaf_of(object, &unit);
  if (!leaf) return;
  for (int index = 0; index < cells_in_unit; index++) {
    shadow_cell found = __atomic_load_n(&leaf->cells[index][unit], __ATOMIC_RELAXED);
    if (!found) return;
    if (!is_reference(found)) continue;
    if (found == by_many) {
      interlock_clock_know_all(own->clock);
    } else {
      come_after(own->clock, found);
    }
  }
}

// The functions that ask for a unique reference. A bridge object has flags in its spare bits.
#define OBJECT_BITS 0x00fffffffffffff8ull

#define ASKS(name)                                                        \
  INTERPOSED_QUESTION bool name(uintptr_t object) {                       \
    typedef bool question(uintptr_t);                                     \
    static question *known;                                               \
    question *real = __atomic_load_n(&known, __ATOMIC_RELAXED);           \
    if (__builtin_expect(!real, 0)) {                                     \
      real = (question *)dlsym(RTLD_NEXT, #name);                         \
      __atomic_store_n(&known, real, __ATOMIC_RELAXED);                   \
    }                                                                     \
    bool is_only = real(object);                                          \
    if (is_only) is_only_owner(object & OBJECT_BITS);                     \
    return is_only;                                                       \
  }
// Weak: with a static standard library, its own definitions are used.
#define INTERPOSED_QUESTION __attribute__((weak, visibility("default")))

ASKS(swift_isUniquelyReferenced_native)
ASKS(swift_isUniquelyReferenced_nonNull_native)
ASKS(swift_isUniquelyReferenced)
ASKS(swift_isUniquelyReferenced_nonNull)
ASKS(swift_isUniquelyReferenced_nonNull_bridgeObject)
ASKS(swift_isUniquelyReferencedNonObjC)
ASKS(swift_isUniquelyReferencedNonObjC_nonNull)
ASKS(swift_isUniquelyReferencedNonObjC_nonNull_bridgeObject)

// The runtime calls the replacement of `swift_retain` without the uppermost bits of its argument,
// which mark a string without an object. It keeps the whole argument in a register that a call must
// preserve; `seen` shows whether it does.

#if defined(__x86_64__)
typedef void *retain_call(void *);
extern retain_call *_swift_retain __attribute__((weak));
extern void *swift_retain(void *) __attribute__((weak));
retain_call *interlock_memory_real_retain HIDDEN;
uintptr_t interlock_memory_seen HIDDEN;
void *interlock_memory_retain(void *object) HIDDEN;
void *interlock_memory_probe(void *object) HIDDEN;
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden interlock_memory_retain\n"
    ".type interlock_memory_retain, @function\n"
    "interlock_memory_retain:\n"
    "  testq %rbx, %rbx\n"
    "  jle 1f\n"
    "  jmpq *interlock_memory_real_retain(%rip)\n"
    "1: movq %rdi, %rax\n"
    "  retq\n"
    ".hidden interlock_memory_probe\n"
    ".type interlock_memory_probe, @function\n"
    "interlock_memory_probe:\n"
    "  testq %rbx, %rbx\n"
    "  jle 1f\n"
    "  jmpq *interlock_memory_real_retain(%rip)\n"
    "1: movq %rbx, interlock_memory_seen(%rip)\n"
    "  movq %rdi, %rax\n"
    "  retq\n");

static bool replace_retain(bool *flag) {
  const uintptr_t no_object = 0xe0000000c0ffee00;
  interlock_memory_real_retain = _swift_retain;
  _swift_retain = interlock_memory_probe;
  __atomic_store_n(flag, true, __ATOMIC_RELEASE);
  swift_retain((void *)no_object);
  __atomic_store_n(flag, false, __ATOMIC_RELEASE);
  bool is_right = interlock_memory_seen == no_object;
  _swift_retain = is_right ? interlock_memory_retain : interlock_memory_real_retain;
  return is_right;
}
#else
static bool replace_retain(bool *flag) {
  (void)flag;
  return false;
}
#endif

const char *interlock_references_prepare(void) {
  bool *flag = &_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly;
  // A program without Swift has no references.
  if (!&_swift_release) return NULL;
  if (!flag || !&_swift_release_n || !replace_retain(flag)) {
    return "this Swift runtime does not let the release of references be followed";
  }
  real_release = _swift_release;
  real_release_many = _swift_release_n;
  _swift_release = release;
  _swift_release_n = release_many;
  // Release: pairs with the runtime's load, an acquire on x86, so that the runtime finds the
  // pointers set.
  __atomic_store_n(flag, true, __ATOMIC_RELEASE);
  return NULL;
}

#endif
