// Looks for atomic instructions in machine code.
#include "instruction.h"
#include "interlock_code.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)

// Decodes the length of each instruction, and whether it is atomic: it has a lock prefix, or it is
// an exchange with memory, which needs none. After the opcode maps of Intel's manual, volume 2,
// appendix A.

/// True if an opcode of the first map has a ModRM byte. A bit for each opcode.
static bool has_modrm(unsigned char opcode) {
  unsigned low = opcode & 7;
  if (opcode < 0x40) return low < 4;
  if (opcode >= 0x80 && opcode <= 0x8f) return true;
  switch (opcode) {
    case 0x63: case 0x69: case 0x6b: case 0xc0: case 0xc1: case 0xc6: case 0xc7: case 0xd0:
    case 0xd1: case 0xd2: case 0xd3: case 0xf6: case 0xf7: case 0xfe: case 0xff: return true;
    default: return opcode >= 0xd8 && opcode <= 0xdf;
  }
}

/// The bytes of an immediate operand of the first map; -1 for an opcode that 64-bit code does not
/// have.
static int immediate_of(unsigned char opcode, unsigned char modrm, bool is_16, bool is_wide) {
  int full = is_16 ? 2 : 4;
  if (opcode < 0x40) {
    unsigned low = opcode & 7;
    return low == 4 ? 1 : low == 5 ? full : low < 4 ? 0 : -1;
  }
  if (opcode >= 0x70 && opcode <= 0x7f) return 1;
  if (opcode >= 0xb0 && opcode <= 0xb7) return 1;
  if (opcode >= 0xb8 && opcode <= 0xbf) return is_wide ? 8 : full;
  if (opcode >= 0xe0 && opcode <= 0xe7) return 1;
  switch (opcode) {
    case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7: return full;
    case 0x6a: case 0x6b: case 0x80: case 0x83: case 0xa8: case 0xc0: case 0xc1: case 0xc6:
    case 0xcd: case 0xeb: return 1;
    case 0xc2: return 2;
    case 0xc8: return 3;
    case 0xe8: case 0xe9: return 4;
    case 0xa0: case 0xa1: case 0xa2: case 0xa3: return 8;
    case 0xf6: return (modrm & 0x38) <= 0x08 ? 1 : 0;
    case 0xf7: return (modrm & 0x38) <= 0x08 ? full : 0;
    case 0x60: case 0x61: case 0x82: case 0x9a: case 0xd4: case 0xd5: case 0xd6: case 0xea:
    case 0xce: return -1;
    default: return 0;
  }
}

/// True if an opcode of the second map (0f …) has a ModRM byte.
static bool has_modrm_second(unsigned char opcode) {
  if (opcode >= 0x80 && opcode <= 0x8f) return false;
  if (opcode >= 0xc8 && opcode <= 0xcf) return false;
  if (opcode >= 0x30 && opcode <= 0x37) return false;
  switch (opcode) {
    case 0x05: case 0x06: case 0x07: case 0x08: case 0x09: case 0x0b: case 0x0e: case 0x77:
    case 0xa0: case 0xa1: case 0xa2: case 0xa8: case 0xa9: case 0xaa: return false;
    default: return true;
  }
}

static int immediate_second(unsigned char opcode) {
  if (opcode >= 0x80 && opcode <= 0x8f) return 4;
  switch (opcode) {
    case 0x70: case 0x71: case 0x72: case 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2:
    case 0xc4: case 0xc5: case 0xc6: return 1;
    default: return 0;
  }
}

/// The length of a ModRM byte with its SIB byte and displacement; 0 if the code ends before.
static size_t modrm_length(const unsigned char *at, size_t left) {
  if (left < 1) return 0;
  unsigned mode = at[0] >> 6, memory = at[0] & 7;
  size_t length = 1;
  if (mode == 3) return length;
  if (memory == 4) {
    if (left < 2) return 0;
    length++;
    if (mode == 0 && (at[1] & 7) == 5) length += 4;
  } else if (mode == 0 && memory == 5) {
    length += 4;
  }
  if (mode == 1) length += 1;
  if (mode == 2) length += 4;
  return length <= left ? length : 0;
}

/// True if the operand of a ModRM byte is in memory, and its base is neither the stack pointer nor
/// the frame pointer. `is_upper`: the base is one of the upper eight registers.
static bool is_off_stack(const unsigned char *modrm, bool is_upper) {
  unsigned mode = modrm[0] >> 6, memory = modrm[0] & 7;
  if (mode == 3) return false;
  unsigned base = memory == 4 ? modrm[1] & 7 : memory;
  // Relative to the instruction, or to no register.
  if (mode == 0 && base == 5) return true;
  return is_upper || (base != 4 && base != 5);
}

static bool is_prefix(unsigned char byte) {
  switch (byte) {
    case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
    case 0xf0: case 0xf2: case 0xf3: return true;
    default: return false;
  }
}

/// The length of an instruction with a VEX (c4, c5) or EVEX (62) prefix, which is never atomic; 0
/// if it is not known. `at` is the prefix.
static size_t vector_length(const unsigned char *at, size_t left) {
  size_t prefix = at[0] == 0xc5 ? 2 : at[0] == 0xc4 ? 3 : 4;
  if (left < prefix + 2) return 0;
  unsigned map = at[0] == 0xc5 ? 1 : at[0] == 0xc4 ? at[1] & 0x1f : at[1] & 7;
  unsigned char opcode = at[prefix];
  size_t length = prefix + 1;
  if (map == 1 && opcode == 0x77) return length;
  size_t operands = modrm_length(at + length, left - length);
  // With EVEX, a displacement of one byte has the same length and another unit.
  if (operands == 0) return 0;
  length += operands;
  if (map == 3 || (map == 1 && immediate_second(opcode) == 1)) length += 1;
  return length <= left ? length : 0;
}

interlock_instruction interlock_decode(const unsigned char *at, size_t left) {
  interlock_instruction result = {at, 0, false};
  size_t length = 0;
  bool is_locked = false, is_16 = false, is_wide = false;
  while (length < left && is_prefix(at[length])) {
    is_locked |= at[length] == 0xf0;
    is_16 |= at[length] == 0x66;
    length++;
  }
  bool is_upper = false;
  if (length < left && (at[length] & 0xf0) == 0x40) {
    is_wide = at[length] & 8;
    is_upper = at[length++] & 1;
  }
  if (length >= left) return result;
  unsigned char opcode = at[length];
  if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
    size_t rest = vector_length(at + length, left - length);
    result.length = rest ? length + rest : 0;
    // The operand is not decoded: most such instructions have an operand in memory, or work with
    // one.
    result.leaves_stack = true;
    return result;
  }
  length++;
  int immediate;
  size_t operands = 0;
  if (opcode == 0x0f) {
    if (length >= left) return result;
    unsigned char second = at[length++];
    if (second == 0x38 || second == 0x3a) {
      if (length >= left) return result;
      length++;
      operands = modrm_length(at + length, left - length);
      if (operands == 0) return result;
      immediate = second == 0x3a;
    } else {
      if (has_modrm_second(second)) {
        operands = modrm_length(at + length, left - length);
        if (operands == 0) return result;
        result.modrm = at + length;
        // Excludes prefetches, and nops that have an operand only for their length.
        bool is_hint = second == 0x0d || (second >= 0x18 && second <= 0x1f);
        result.leaves_stack = !is_hint && is_off_stack(at + length, is_upper);
      }
      immediate = immediate_second(second);
      result.goes_far = second >= 0x80 && second <= 0x8f;
    }
  } else {
    unsigned char modrm = length < left ? at[length] : 0;
    if (has_modrm(opcode)) {
      operands = modrm_length(at + length, left - length);
      if (operands == 0) return result;
      result.modrm = at + length;
      // Excludes lea, which only computes an address.
      result.leaves_stack = opcode != 0x8d && is_off_stack(at + length, is_upper);
    }
    unsigned operation = modrm >> 3 & 7;
    result.calls = opcode == 0xe8 || (opcode == 0xff && (operation == 2 || operation == 4));
    result.goes_far = opcode == 0xe8 || opcode == 0xe9;
    immediate = immediate_of(opcode, modrm, is_16, is_wide);
    if (immediate < 0) return result;
    bool is_exchange = opcode == 0x86 || opcode == 0x87;
    if (is_exchange && modrm >> 6 != 3) result.is_atomic = true;
  }
  result.is_atomic |= is_locked;
  length += operands + (size_t)immediate;
  result.length = length <= left ? length : 0;
  return result;
}

static interlock_code_finding scan(const unsigned char *code, size_t size, bool is_explored,
                                   size_t *at) {
  size_t offset = 0;
  while (offset < size) {
    interlock_instruction next = interlock_decode(code + offset, size - offset);
    if (at) *at = offset;
    if (next.length == 0) return INTERLOCK_CODE_UNREADABLE;
    if (next.is_atomic || (!is_explored && interlock_is_led(&next))) return INTERLOCK_CODE_ATOMIC;
    offset += next.length;
  }
  return INTERLOCK_CODE_PLAIN;
}

interlock_code_finding interlock_scan_code(const void *code, size_t size, size_t *at) {
  return scan(code, size, false, at);
}

interlock_code_finding interlock_scan_explored_code(const void *code, size_t size, size_t *at) {
  return scan(code, size, true, at);
}

bool interlock_code_next_call(const interlock_code_function *function, size_t *offset,
                              uintptr_t *returns_to, uintptr_t *target) {
  const unsigned char *code = (const unsigned char *)function->start;
  while (*offset < function->size) {
    interlock_instruction next = interlock_decode(code + *offset, function->size - *offset);
    if (next.length == 0) return false;
    *offset += next.length;
    if (!next.calls || next.code[0] != 0xe8) continue;
    int32_t distance;
    memcpy(&distance, next.code + 1, sizeof distance);
    *returns_to = function->start + *offset;
    *target = *returns_to + (uintptr_t)(intptr_t)distance;
    return true;
  }
  return false;
}

/// Returns the position of the distance by which an instruction refers to another place; NULL if it
/// has none.
static const unsigned char *distance_of(const interlock_instruction *instruction) {
  if (instruction->goes_far) return instruction->code + instruction->length - 4;
  // A memory operand relative to the next instruction.
  bool is_relative = instruction->modrm && (instruction->modrm[0] & 0xc7) == 5;
  return is_relative ? instruction->modrm + 1 : NULL;
}

bool interlock_code_next_reference(const interlock_code_function *function, size_t *offset,
                                   uintptr_t *target) {
  const unsigned char *code = (const unsigned char *)function->start;
  while (*offset < function->size) {
    interlock_instruction next = interlock_decode(code + *offset, function->size - *offset);
    if (next.length == 0) return false;
    *offset += next.length;
    const unsigned char *at = distance_of(&next);
    if (!at) continue;
    int32_t distance;
    memcpy(&distance, at, sizeof distance);
    *target = function->start + *offset + (uintptr_t)(intptr_t)distance;
    if (*target - function->start >= function->size) return true;
  }
  return false;
}

bool interlock_code_has_effect(const interlock_code_function *function) {
  const unsigned char *code = (const unsigned char *)function->start;
  for (size_t offset = 0; offset < function->size;) {
    interlock_instruction next = interlock_decode(code + offset, function->size - offset);
    if (next.length == 0 || next.calls || next.leaves_stack || next.is_atomic) return true;
    offset += next.length;
    // A jump out of the function is a tail call.
    if (next.code[0] != 0xe9) continue;
    int32_t distance;
    memcpy(&distance, next.code + 1, sizeof distance);
    if (offset + (size_t)(intptr_t)distance >= function->size) return true;
  }
  return false;
}

/// True if an instruction is one of those with which functions begin: it moves or computes a value,
/// and always continues with the next instruction. False for a conditional move.
static bool is_plain_step(const interlock_instruction *next) {
  const unsigned char *code = next->code;
  while (is_prefix(*code)) code++;
  if ((*code & 0xf0) == 0x40) code++;
  switch (*code) {
    // push, pop, mov and lea.
    case 0x50 ... 0x5f: case 0x88 ... 0x8b: case 0x8d: case 0xb8 ... 0xbf: case 0xc6: case 0xc7:
    // add, sub, xor and nop.
    case 0x01: case 0x03: case 0x29: case 0x2b: case 0x31: case 0x33: case 0x81: case 0x83:
    case 0x90: return true;
    // Moves that extend a value, or use a vector register.
    case 0x0f:
      return code[1] == 0x1f || code[1] == 0xb6 || code[1] == 0xb7 || code[1] == 0x10 ||
             code[1] == 0x11 || code[1] == 0x28 || code[1] == 0x29;
    default: return false;
  }
}

bool interlock_code_goes_straight(const interlock_code_function *function, uintptr_t returns_to) {
  const unsigned char *code = (const unsigned char *)function->start;
  for (size_t offset = 0; offset < function->size;) {
    interlock_instruction next = interlock_decode(code + offset, function->size - offset);
    if (next.length == 0 || next.leaves_stack || next.is_atomic) return false;
    offset += next.length;
    if (next.code[0] == 0xe8) {
      if (function->start + offset == returns_to) return true;
      int32_t distance;
      memcpy(&distance, next.code + 1, sizeof distance);
      const char *name =
          interlock_code_import_at(function->start + offset + (uintptr_t)(intptr_t)distance);
      if (!name || strcmp(name, "swift_retain") != 0) return false;
    } else if (!is_plain_step(&next)) {
      return false;
    }
  }
  return false;
}

#elif defined(__aarch64__)

// Every instruction has four bytes. Atomic are exclusive and ordered loads and stores (ldxr, stxr,
// ldar, stlr, …) and the instructions of ARMv8.1 (cas, swp, ldadd, …); after the Architecture
// Reference Manual, C4.1.

static bool is_atomic(uint32_t word) {
  // Load/store exclusive, load-acquire, store-release, compare and swap: bits 29–24 are 001000.
  if ((word & 0x3f000000) == 0x08000000) return true;
  // Atomic memory operations: bits 29–27 111, 26 0, 25–24 00, 21 1, 11–10 00.
  return (word & 0x3f200c00) == 0x38200000;
}

interlock_code_finding interlock_scan_explored_code(const void *code, size_t size, size_t *at) {
  return interlock_scan_code(code, size, at);
}

interlock_code_finding interlock_scan_code(const void *code, size_t size, size_t *at) {
  for (size_t offset = 0; offset + 4 <= size; offset += 4) {
    if (at) *at = offset;
    if (is_atomic(*(const uint32_t *)((const char *)code + offset))) return INTERLOCK_CODE_ATOMIC;
  }
  return INTERLOCK_CODE_PLAIN;
}

#else

interlock_code_finding interlock_scan_explored_code(const void *code, size_t size, size_t *at) {
  return interlock_scan_code(code, size, at);
}

interlock_code_finding interlock_scan_code(const void *code, size_t size, size_t *at) {
  (void)code, (void)size;
  if (at) *at = 0;
  return INTERLOCK_CODE_UNREADABLE;
}

#endif

#if !defined(__x86_64__)
interlock_instruction interlock_decode(const unsigned char *code, size_t left) {
  (void)left;
  return (interlock_instruction){.code = code};
}

bool interlock_code_next_call(const interlock_code_function *function, size_t *offset,
                              uintptr_t *returns_to, uintptr_t *target) {
  (void)function, (void)offset, (void)returns_to, (void)target;
  return false;
}

bool interlock_code_next_reference(const interlock_code_function *function, size_t *offset,
                                   uintptr_t *target) {
  (void)function, (void)offset, (void)target;
  return false;
}

bool interlock_code_goes_straight(const interlock_code_function *function, uintptr_t returns_to) {
  (void)function, (void)returns_to;
  return false;
}

bool interlock_code_has_effect(const interlock_code_function *function) {
  (void)function;
  return true;
}
#endif
