// The targets of jumps, and the recognition of jumps to the explorer's copies of code.
#include "instruction.h"

#include <string.h>

#if defined(__linux__) && defined(__x86_64__)

bool interlock_jump_of(const interlock_instruction *jump, uintptr_t *target,
                       bool *is_conditional) {
  const unsigned char *code = jump->code;
  uintptr_t next = (uintptr_t)code + jump->length;
  *is_conditional = *code != 0xeb && *code != 0xe9;
  if ((*code & 0xf0) == 0x70 || *code == 0xeb || (*code >= 0xe0 && *code <= 0xe3)) {
    *target = next + (uintptr_t)(intptr_t)(int8_t)code[jump->length - 1];
    return true;
  }
  if (!jump->goes_far || *code == 0xe8) return false;
  int32_t distance;
  memcpy(&distance, (const void *)(next - sizeof distance), sizeof distance);
  *target = next + (uintptr_t)(intptr_t)distance;
  return true;
}

uintptr_t interlock_led_copies, interlock_led_copies_size;

bool interlock_is_led(const interlock_instruction *jump) {
  uintptr_t target;
  bool is_conditional;
  return *jump->code == 0xe9 && interlock_jump_of(jump, &target, &is_conditional) &&
         target - interlock_led_copies < interlock_led_copies_size;
}

#else

bool interlock_is_led(const interlock_instruction *jump) {
  (void)jump;
  return false;
}

#endif
