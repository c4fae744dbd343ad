// Weak and unowned references. A load finds an object or not, depending on whether the last strong
// reference has been released, so the load and that release are steps.
//
// The calls of `swift_release` are redirected only in a process that has explored such a load.
#include "../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

#include "../../CInterlockEvents/interpose.h"

typedef void release_function(void *object);

/// NULL in a program without Swift.
extern release_function swift_release __attribute__((weak));
/// A pointer to data, because `interlock_lead_calls` writes it. NULL while releases are not
/// followed.
static void *real_release;

/// An object's second word (ABI): counts, or the place of a side table, which an object gets with
/// its first weak reference. The side table begins with the object, and has its counts at 16.
enum { at_counts = 8, at_side_counts = 16, is_strong_from = 33, strong_bits = 30, ends_bit = 32,
       unowned_bits = 31, side_bits = 62 };
static const uint32_t immortal = UINT32_MAX;

static uint64_t counts_at(uintptr_t address) {
  // Relaxed: explored threads run one at a time, and a count that other threads change does not
  // decide whether this release is the last.
  return __atomic_load_n((const uint64_t *)address, __ATOMIC_RELAXED);
}

static bool is_last(uint64_t counts) {
  uint64_t others = counts >> is_strong_from & ((1u << strong_bits) - 1);
  return others == 0 && !(counts >> ends_bit & 1);
}

static interlock_operation operation_at(interlock_operation_kind kind, uintptr_t address) {
  return interlock_operation_of(kind, interlock_object_in_memory((const void *)address)->number, 0);
}

/// Reaches a point before the last release of an object that has weak or unowned references.
static void before_release(uintptr_t object, interlock_site site) {
  uint64_t counts = counts_at(object + at_counts);
  if ((uint32_t)counts == immortal) return;
  uintptr_t watched = object;
  if (counts >> side_bits == 3) {
    watched = (uintptr_t)(counts << 2 >> 2 << 3);
    counts = counts_at(watched + at_side_counts);
  } else if (counts >> side_bits != 0 || (counts >> 1 & ((1u << unowned_bits) - 1)) <= 1) {
    return;
  }
  if (!is_last(counts)) return;
  bool is_unowned_too = watched != object && interlock_object_known((const void *)object);
  interlock_name_call("last release");
  interlock_ask(operation_at(INTERLOCK_OPERATION_WRITE, watched), NULL, NULL, site.returns_to,
                site.place);
  if (is_unowned_too) interlock_did(operation_at(INTERLOCK_OPERATION_WRITE, object));
}

static void release(void *object) {
  // The runtime's own test for a pointer that is no object.
  if (interlock_is_controlled() && (intptr_t)object > 0) {
    before_release((uintptr_t)object, THIS_SITE);
  }
  ((release_function *)real_release)(object);
}

static void follow_releases(void) {
  if (real_release || !interlock_is_known(INTERLOCK_FACT_REFERENCES)) return;
  interlock_lead_calls("swift_release", (void *)swift_release, &real_release, (void *)release);
}

__attribute__((constructor)) static void prepare(void) {
  interlock_at_execution_begin(follow_releases);
}

/// A load of a reference whose object, or whose side table, is at an address; 0 for none.
static void load(uintptr_t watched, const char *call, interlock_site site) {
  if (!watched || !interlock_is_choice(site.returns_to)) return;
  interlock_learn(INTERLOCK_FACT_REFERENCES);
  follow_releases();
  if (!real_release) interlock_escaped("the last release of an object");
  interlock_name_call(call);
  interlock_point(operation_at(INTERLOCK_OPERATION_READ, watched), NULL, NULL, site.place);
}

#define LOADS(type, name, watched, called)                                                 \
  INTERPOSED_FAST(type, name, 0u, (void *reference), (reference)) {                        \
    if (interlock_is_controlled()) load((uintptr_t)(watched), called, THIS_SITE);          \
    return FOUND(name)(reference);                                                         \
  }
/// A weak reference holds the side table.
LOADS(void *, swift_weakLoadStrong, *(void **)reference, "load weak reference")
LOADS(void *, swift_weakTakeStrong, *(void **)reference, "load weak reference")
/// An unowned reference holds the object.
LOADS(void *, swift_unownedRetainStrong, reference, "load unowned reference")
LOADS(void, swift_unownedRetainStrongAndRelease, reference, "load unowned reference")
LOADS(void, swift_unownedCheck, reference, "load unowned reference")

#endif
