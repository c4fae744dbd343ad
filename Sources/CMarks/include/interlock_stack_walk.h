/// The calls in progress on a thread's stack. Not for use outside the package.
#ifndef INTERLOCK_STACK_WALK_H
#define INTERLOCK_STACK_WALK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the number of words from one address up to another; a huge number if the distance is
/// negative or not a whole number of words.
static inline __attribute__((always_inline)) uintptr_t interlock_words_between(uintptr_t from,
                                                                               uintptr_t to) {
  return __builtin_rotateright64(to - from, 3);
}

/// Walks frame pointers from `frame` into `frames`, innermost first, in tens of nanoseconds. Reads
/// only between `low` and `high`, the bounds of the thread's stack, and only upwards, so that a
/// register without a frame pointer merely ends the walk.
static inline __attribute__((always_inline)) size_t interlock_walk_frames_from(
    uintptr_t frame, uintptr_t *frames, size_t limit, uintptr_t low, uintptr_t high) {
  // Swift marks the frame of an async function by bit 60 of the saved frame pointer.
  const uintptr_t async_bit = (uintptr_t)1 << 60;
  const uintptr_t pair_size = 2 * sizeof(uintptr_t);
  if (high < pair_size) return 0;
  // Aligned to a word, as the comparison below requires: the end of a stack that a program provides
  // may be unaligned.
  const uintptr_t last = (high - pair_size) & ~(uintptr_t)(sizeof(uintptr_t) - 1);
  if (frame <= low || frame > last || frame % sizeof(uintptr_t) != 0) return 0;
  // The number of words to the end of the stack. One comparison checks that a frame is above the
  // last frame, within the stack and aligned: a frame past the end, or an unaligned frame, whose
  // low bits rotate to the top, gives a larger number.
  uintptr_t left = interlock_words_between(frame, last);
  size_t count = 0;
  while (count < limit) {
    const uintptr_t *pair = (const uintptr_t *)frame;
    uintptr_t address = pair[1];
    if (address < 4096) break;
    // Relaxed: another thread may read the record while it is reused, and then drops what it read.
    __atomic_store_n(&frames[count++], address, __ATOMIC_RELAXED);
    frame = pair[0];
    uintptr_t fewer = interlock_words_between(frame, last);
    if (fewer >= left) {
      // Usually the end of the stack; otherwise an async frame.
      frame &= ~async_bit;
      fewer = interlock_words_between(frame, last);
      if (fewer >= left) break;
    }
    left = fewer;
  }
  return count;
}

/// Walks from the caller's own frame.
static inline __attribute__((always_inline)) size_t interlock_walk_frames(
    uintptr_t *frames, size_t limit, uintptr_t low, uintptr_t high) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  return interlock_walk_frames_from(frame, frames, limit, low, high);
}

/// The caller's stack by the system's unwinder, which needs no frame pointers and costs about a
/// microsecond.
size_t interlock_unwind_frames(uintptr_t *frames, size_t limit);

/// The bounds of the calling thread's stack; both 0 if they are not known.
void interlock_stack_bounds(uintptr_t *low, uintptr_t *high);

#ifdef __cplusplus
}
#endif

#endif
