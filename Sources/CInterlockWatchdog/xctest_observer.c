// Observes the tests of XCTest if it is in the process, without linking it. In C, because a
// conformance to a protocol of a library that may be missing must be made by hand: a witness table
// lists the protocol's requirements in the order of the source. This file checks the number of
// requirements, and that its argument is a test case.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "interlock_watchdog.h"

#if defined(__linux__) && defined(__has_attribute)
#if __has_attribute(swiftcall)
#define OBSERVES 1
#endif
#endif

#ifdef OBSERVES

#define SWIFT_CALL __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

static const interlock_xctest_follower *follower;

typedef SWIFT_CALL interlock_swift_string get_name(SELF const void *test_case);
static get_name *name_of;
static const void *test_case_class;

/// True if an object's class is XCTestCase or a subclass. A class begins with its kind, followed by
/// its superclass.
static bool is_test_case(const void *object) {
  const void *const *metadata = object ? *(const void *const *const *)object : NULL;
  for (int depth = 0; metadata && depth < 16; depth++) {
    if ((const void *)metadata == test_case_class) return true;
    metadata = (const void *const *)metadata[1];
  }
  return false;
}

static SWIFT_CALL void ignored(void) {}

static SWIFT_CALL void begins(const void *test_case, const void *type, const void *table,
                              SELF const void *self) {
  (void)type, (void)table, (void)self;
  if (is_test_case(test_case)) follower->begins((uintptr_t)test_case, name_of(test_case));
}

static SWIFT_CALL void ends(const void *test_case, const void *type, const void *table,
                            SELF const void *self) {
  (void)type, (void)table, (void)self;
  follower->ends((uintptr_t)test_case);
}

enum { requirement_count = 7 };

/// The compiler's layout of a protocol descriptor.
typedef struct {
  uint32_t flags;
  int32_t parent, name;
  uint32_t signature_count, requirement_count;
  int32_t associated_types;
  struct {
    uint32_t flags;
    int32_t first, second;
  } signature[];
} protocol_descriptor;

static bool is_as_known(const protocol_descriptor *protocol) {
  enum { kind = 0xf, method = 1, instance = 0x10 };
  if (!protocol || protocol->requirement_count != requirement_count) return false;
  const struct {
    uint32_t flags;
    int32_t implementation;
  } *requirements = (const void *)&protocol->signature[protocol->signature_count];
  for (int index = 0; index < requirement_count; index++) {
    uint32_t flags = requirements[index].flags;
    if ((flags & kind) != method || !(flags & instance)) return false;
  }
  return true;
}

interlock_xctest_state interlock_observe_xctest(const void *observer,
                                                const interlock_xctest_follower *newest) {
  typedef struct {
    const void *type;
    size_t state;
  } response;
  typedef SWIFT_CALL response get_type(size_t request);
  typedef SWIFT_CALL void *get_center(SELF const void *type);
  typedef SWIFT_CALL void add(const void *object, const void *const *table, SELF void *center);
  get_type *center_type = (get_type *)dlsym(RTLD_DEFAULT, "$s6XCTest0A17ObservationCenterCMa");
  if (!center_type) return INTERLOCK_XCTEST_NONE;
  get_center *center =
      (get_center *)dlsym(RTLD_DEFAULT, "$s6XCTest0A17ObservationCenterC6sharedACvgZ");
  add *add_observer = (add *)dlsym(
      RTLD_DEFAULT, "$s6XCTest0A17ObservationCenterC15addTestObserveryyAA0aB0_pF");
  get_type *case_type = (get_type *)dlsym(RTLD_DEFAULT, "$s6XCTest0A4CaseCMa");
  name_of = (get_name *)dlsym(RTLD_DEFAULT, "$s6XCTest0A4CaseC4nameSSvg");
  if (!center || !add_observer || !case_type || !name_of ||
      !is_as_known(dlsym(RTLD_DEFAULT, "$s6XCTest0A11ObservationMp"))) {
    return INTERLOCK_XCTEST_UNKNOWN;
  }
  test_case_class = case_type(0).type;
  follower = newest;
  // The first word is the conformance, which a call of a requirement does not read.
  static const void *table[1 + requirement_count];
  for (int index = 1; index <= requirement_count; index++) table[index] = (const void *)ignored;
  table[3] = (const void *)begins;
  table[5] = (const void *)ends;
  add_observer(observer, table, center(center_type(0).type));
  return INTERLOCK_XCTEST_OBSERVED;
}

#else
interlock_xctest_state interlock_observe_xctest(const void *observer,
                                                const interlock_xctest_follower *newest) {
  (void)observer, (void)newest;
  return INTERLOCK_XCTEST_NONE;
}
#endif
