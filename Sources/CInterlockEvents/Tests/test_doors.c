// Gives a test of Swift Testing more traits than its source has. The code of `@Test` describes the
// test by a call of a function of the library, with the traits as an array. The doors of these
// functions replace that argument.
#include "../doors.h"
#include "interlock_tests.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__has_attribute)
#if __has_attribute(swiftcall) && (defined(__x86_64__) || defined(__aarch64__))
#define MEETS_TESTS 1
#endif
#endif

#ifdef MEETS_TESTS

/// The index of the seventh word of the arguments: a register on arm64; on x86-64 on the stack,
/// behind the words that the door saves and the return address.
#if defined(__x86_64__)
enum { SEVENTH = 8 };
#else
enum { SEVENTH = 6 };
#endif

static const struct {
  const char *name;
  uint32_t traits;
  bool is_suite;
} macro_calls[] = {
#define DESCRIBED_TEST(traits, name) {name, traits, false},
#define DESCRIBED_SUITE(traits, name) {name, traits, true},
#include "described_tests.h"
#undef DESCRIBED_TEST
#undef DESCRIBED_SUITE
};
enum { macro_call_count = sizeof macro_calls / sizeof *macro_calls };

static interlock_test_traits *chosen_traits;

bool interlock_tests_choose_traits(interlock_test_traits *traits) {
  for (uint32_t call = 0; call < macro_call_count; call++) {
    if (!interlock_find_real(macro_calls[call].name)) return false;
  }
  // Relaxed: called while there is one thread.
  __atomic_store_n(&chosen_traits, traits, __ATOMIC_RELAXED);
  return true;
}

/// Called when a test or a suite is described, with the call's first arguments. Returns the address
/// to jump to.
CALLED uintptr_t interlock_test_described(uintptr_t *arguments, uint32_t call) {
  static uintptr_t known[macro_call_count];
  interlock_test_traits *traits = __atomic_load_n(&chosen_traits, __ATOMIC_RELAXED);
  if (traits) {
    uintptr_t *argument = &arguments[macro_calls[call].traits];
    *argument = traits(*argument, macro_calls[call].is_suite);
  }
  return find_real(&known[call], macro_calls[call].name);
}

// One door for each function, in the order of the table.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
enum { first_counter = __COUNTER__ + 1 };
_Static_assert(first_counter == 1, "the doors count from here");
#define DESCRIBED_TEST(traits, name) \
  DOOR(name, ASK("interlock_test_described", "(" TEXT(__COUNTER__) " - 1)"))
#define DESCRIBED_SUITE DESCRIBED_TEST
#include "described_tests.h"

#else
bool interlock_tests_choose_traits(interlock_test_traits *traits) { return (void)traits, false; }
#endif
