// The join of two vector clocks. It takes most of the time of following the order of tasks, whose
// every step joins clocks of some hundred counts.
#include "vector_clock.h"

uint32_t interlock_clock_slots_used;

/// As `clock_join_counts`. Always inlined, so that each caller compiles it for its own processor.
__attribute__((always_inline)) static inline clock_change join(uint64_t *into, const uint64_t *from,
                                                               uint32_t width) {
  // Signed, because few processors compare unsigned numbers of 64 bits: no count reaches 2^63.
  // A clock is aligned to 8 bytes only.
  typedef int64_t four_counts __attribute__((vector_size(32), aligned(8)));
  four_counts *to = (four_counts *)into, any_larger = {0}, any_other = {0};
  const four_counts *other = (const four_counts *)from;
  for (uint32_t index = 0, end = width / 4; index < end; index++) {
    four_counts now = to[index], then = other[index], is_larger = now > then;
    four_counts joined = (now & is_larger) | (then & ~is_larger);
    to[index] = joined;
    any_larger |= is_larger;
    any_other |= joined ^ now;
  }
  return (clock_change){
      .had_more = any_larger[0] | any_larger[1] | any_larger[2] | any_larger[3],
      .has_grown = any_other[0] | any_other[1] | any_other[2] | any_other[3],
  };
}

#if defined(__x86_64__) && defined(__linux__)

// Without AVX2, a processor of this kind joins one count at a time.
__attribute__((target("avx2"))) static clock_change join_by_four(uint64_t *into,
                                                                 const uint64_t *from,
                                                                 uint32_t width) {
  return join(into, from, width);
}

clock_change clock_join_counts(uint64_t *into, const uint64_t *from, uint32_t width) {
  bool can = __builtin_cpu_supports("avx2");
  return can ? join_by_four(into, from, width) : join(into, from, width);
}

#else

clock_change clock_join_counts(uint64_t *into, const uint64_t *from, uint32_t width) {
  return join(into, from, width);
}

#endif
