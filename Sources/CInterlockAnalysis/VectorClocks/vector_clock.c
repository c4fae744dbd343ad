// The join of two vector clocks: most of what following the order of tasks costs, since each of
// their steps joins clocks of some hundred counts.
#include "vector_clock.h"

/// As `clock_join`. Always inlined, so that each caller compiles it for its own processor.
__attribute__((always_inline)) static inline bool join(vector_clock *into,
                                                       const vector_clock *from) {
  // Signed, because few processors compare unsigned numbers of 64 bits: no count reaches 2^63.
  // A clock is aligned to 8 bytes only.
  typedef int64_t four_counts __attribute__((vector_size(32), aligned(8)));
  four_counts *to = (four_counts *)into->counts, any_larger = {0};
  const four_counts *other = (const four_counts *)from->counts;
  for (uint32_t index = 0, end = clock_width() / 4; index < end; index++) {
    four_counts is_larger = to[index] > other[index];
    to[index] = (to[index] & is_larger) | (other[index] & ~is_larger);
    any_larger |= is_larger;
  }
  return !(any_larger[0] | any_larger[1] | any_larger[2] | any_larger[3]);
}

#if defined(__x86_64__) && defined(__linux__)

// Without AVX2, a processor of this kind joins one count at a time.
__attribute__((target("avx2"))) static bool join_by_four(vector_clock *into,
                                                         const vector_clock *from) {
  return join(into, from);
}

bool clock_join(vector_clock *into, const vector_clock *from) {
  return __builtin_cpu_supports("avx2") ? join_by_four(into, from) : join(into, from);
}

#else

bool clock_join(vector_clock *into, const vector_clock *from) { return join(into, from); }

#endif
