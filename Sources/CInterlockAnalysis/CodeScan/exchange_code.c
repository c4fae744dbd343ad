// The code that reads the result of a compare-exchange.
//
// Instrumented code gets the value that the exchange has found, and compares it with the expected
// value. To let a weak exchange fail although both are equal, the explorer runs a copy of the
// instructions from the call up to the instruction that reads the comparison, and clears the flag
// of equality before it continues there. That is correct if these instructions only move values and
// compare, and if no other instruction reads the same comparison for another reason.
#include "instruction.h"

#include <string.h>

#if defined(__x86_64__)

enum { most_copied = 24, most_behind = 64 };
enum { rax = 0, rdx = 2 };

typedef enum {
  /// Any instruction that is not known to be one of the other classes.
  OTHER,
  /// Moves a value, or does nothing; keeps the flags.
  MOVE,
  /// Sets all flags that conditions of equality read.
  SETS_FLAGS,
  /// Reads whether the comparison was equal.
  READS_EQUALITY,
  JUMP,
  /// Calls, returns or traps: flags do not outlive it.
  ENDS_FLAGS,
} instruction_class;

typedef struct {
  interlock_instruction instruction;
  instruction_class class;
  unsigned char opcode;
  bool is_second_map, has_prefix;
  /// The two operands of a ModRM byte; `memory` is a register unless `is_in_memory`.
  unsigned reg, memory;
  bool is_in_memory, is_relative;
} decoded;

static instruction_class class_of_first(unsigned char opcode, unsigned operation) {
  switch (opcode) {
    case 0x63: case 0x88 ... 0x8b: case 0x8d: case 0x90: case 0xb0 ... 0xbf: return MOVE;
    case 0xc6: case 0xc7: return operation == 0 ? MOVE : OTHER;
    // add, or, and, sub, xor, cmp; test.
    case 0x00 ... 0x05: case 0x08 ... 0x0d: case 0x20 ... 0x25: case 0x28 ... 0x2d:
    case 0x30 ... 0x35: case 0x38 ... 0x3d: case 0x84: case 0x85: case 0xa8: case 0xa9:
      return SETS_FLAGS;
    // adc and sbb read the carry flag.
    case 0x80: case 0x81: case 0x83: return operation == 2 || operation == 3 ? OTHER : SETS_FLAGS;
    case 0xf6: case 0xf7: return operation == 0 ? SETS_FLAGS : OTHER;
    case 0x74: case 0x75: return READS_EQUALITY;
    case 0xe9: case 0xeb: return JUMP;
    case 0xe8: case 0xc3: return ENDS_FLAGS;
    // Increments and decrements; a call.
    case 0xfe: return operation < 2 ? SETS_FLAGS : OTHER;
    case 0xff: return operation < 2 ? SETS_FLAGS : operation == 2 ? ENDS_FLAGS : OTHER;
    default: return OTHER;
  }
}

static instruction_class class_of_second(unsigned char opcode) {
  switch (opcode) {
    // Moves of vector registers, moves that extend a value, and nop.
    case 0x10: case 0x11: case 0x1f: case 0x28: case 0x29: case 0x6e: case 0x6f: case 0x7e:
    case 0x7f: case 0xb6: case 0xb7: case 0xbe: case 0xbf: case 0xd6: return MOVE;
    case 0x44: case 0x45: case 0x84: case 0x85: case 0x94: case 0x95: return READS_EQUALITY;
    case 0x0b: return ENDS_FLAGS;
    default: return OTHER;
  }
}

/// True if an operand of an instruction without a REX prefix is the second byte of a register,
/// which has the number of another register.
static bool names_second_byte(const decoded *step) {
  unsigned char opcode = step->opcode;
  bool is_byte = step->is_second_map ? opcode == 0xb6 || opcode == 0xbe
                                     : !(opcode & 1) && opcode != 0x8d && opcode != 0x63;
  // Otherwise the number is a part of the opcode, or of a wider register.
  bool has_byte_register = !step->is_second_map && opcode != 0x80 && opcode != 0xc6 &&
                           opcode != 0xf6 && opcode != 0xfe;
  return is_byte && ((has_byte_register && step->reg >= 4) ||
                     (!step->is_in_memory && step->memory >= 4));
}

static decoded decode(const interlock_code_function *function, uintptr_t address) {
  decoded result = {.class = OTHER};
  if (address - function->start >= function->size) return result;
  size_t left = function->size - (address - function->start);
  result.instruction = interlock_decode((const unsigned char *)address, left);
  if (result.instruction.length == 0 || result.instruction.is_atomic) return result;
  const unsigned char *at = result.instruction.code;
  while (*at == 0x66 || *at == 0xf2 || *at == 0xf3 || *at == 0x2e) {
    result.has_prefix = true;
    at++;
  }
  unsigned char extension = (*at & 0xf0) == 0x40 ? *at++ : 0;
  result.is_second_map = *at == 0x0f;
  if (result.is_second_map) at++;
  result.opcode = *at;
  const unsigned char *modrm = result.instruction.modrm;
  unsigned operation = modrm ? *modrm >> 3 & 7 : 0;
  if (modrm) {
    result.reg = operation | (extension & 4 ? 8 : 0);
    result.is_in_memory = *modrm >> 6 != 3;
    result.is_relative = (*modrm & 0xc7) == 5;
    result.memory = (*modrm & 7) | (extension & 1 ? 8 : 0);
    if (!extension && names_second_byte(&result)) return result;
  }
  result.class = result.is_second_map ? class_of_second(result.opcode)
                                      : class_of_first(result.opcode, operation);
  return result;
}

/// Returns the target of a jump; 0 for another instruction.
static uintptr_t target_of(const decoded *jump) {
  const interlock_instruction *instruction = &jump->instruction;
  uintptr_t end = (uintptr_t)instruction->code + instruction->length;
  if (instruction->goes_far) {
    int32_t distance;
    memcpy(&distance, (const void *)(end - sizeof distance), sizeof distance);
    return end + (uintptr_t)(intptr_t)distance;
  }
  bool is_short = !jump->is_second_map &&
                  (jump->opcode == 0xeb || jump->opcode == 0x74 || jump->opcode == 0x75);
  return is_short ? end + (uintptr_t)(intptr_t)(int8_t)((const unsigned char *)end)[-1] : 0;
}

static void set(uint32_t *registers, unsigned number, bool has_value) {
  *registers = (*registers & ~(1u << number)) | (uint32_t)has_value << number;
}
static bool has(uint32_t registers, unsigned number) { return registers >> number & 1; }

/// Follows the value through a move.
static void move(uint32_t *values, const decoded *step) {
  if (!step->instruction.modrm) {
    // mov of a constant.
    unsigned number = step->opcode & 7;
    unsigned char first = step->instruction.code[step->has_prefix];
    if (step->opcode >= 0xb0) set(values, number | ((first & 0xf1) == 0x41 ? 8 : 0), false);
    return;
  }
  if (step->is_second_map) {
    bool extends = step->opcode >= 0xb6 && step->opcode <= 0xbf;
    if (extends) set(values, step->reg, !step->is_in_memory && has(*values, step->memory));
    if (step->opcode == 0x7e && !step->is_in_memory) set(values, step->memory, false);
    return;
  }
  switch (step->opcode) {
    case 0x88: case 0x89:
      if (!step->is_in_memory) set(values, step->memory, has(*values, step->reg));
      break;
    case 0x8a: case 0x8b: case 0x63:
      set(values, step->reg, !step->is_in_memory && has(*values, step->memory));
      break;
    case 0x8d: set(values, step->reg, false); break;
    default:
      if (!step->is_in_memory) set(values, step->memory, false);
      break;
  }
}

/// The operand with which a comparison compares the value.
typedef enum { COMPARES_OTHER, COMPARES_VALUE, COMPARES_WITH_ZERO } comparison;

/// Follows the value through an instruction that sets the flags.
static comparison compare(uint32_t *values, const decoded *step, bool is_wide) {
  if (step->is_second_map) return COMPARES_OTHER;
  unsigned char operation = step->opcode & 0x38;
  bool is_test = step->opcode == 0x84 || step->opcode == 0x85;
  if (step->opcode < 0x40 && step->instruction.modrm) {
    bool is_same = !step->is_in_memory && step->reg == step->memory;
    bool writes_reg = step->opcode & 2;
    bool has_value = has(*values, step->reg) ||
                     (!step->is_in_memory && has(*values, step->memory));
    if (operation == 0x38) return has_value && !is_same ? COMPARES_VALUE : COMPARES_OTHER;
    if (operation != 0x28 && operation != 0x30 && operation != 0x08) return COMPARES_OTHER;
    bool ends_value = is_same && operation != 0x08;
    if (writes_reg || !step->is_in_memory) {
      set(values, writes_reg ? step->reg : step->memory, has_value && !ends_value);
    }
    if (!has_value || ends_value) return COMPARES_OTHER;
    // or of the two halves of a wide value.
    if (operation == 0x08) return is_wide ? COMPARES_VALUE : COMPARES_OTHER;
    return COMPARES_VALUE;
  }
  if (is_test) {
    bool is_same = !step->is_in_memory && step->reg == step->memory;
    return is_same && has(*values, step->reg) ? COMPARES_WITH_ZERO : COMPARES_OTHER;
  }
  // cmp or sub with a constant.
  if (step->opcode == 0x3c || step->opcode == 0x3d) {
    return has(*values, rax) ? COMPARES_VALUE : COMPARES_OTHER;
  }
  bool has_constant = step->opcode == 0x80 || step->opcode == 0x81 || step->opcode == 0x83;
  bool compares = has_constant && (*step->instruction.modrm >> 3 & 7) == 7;
  bool has_value = compares && !step->is_in_memory && has(*values, step->memory);
  return has_value ? COMPARES_VALUE : COMPARES_OTHER;
}

/// Returns the address at which the code continues after `reader` if the two values were not equal.
static uintptr_t unequal_path(const decoded *reader) {
  const interlock_instruction *instruction = &reader->instruction;
  uintptr_t end = (uintptr_t)instruction->code + instruction->length;
  bool jumps = reader->is_second_map ? reader->opcode == 0x84 || reader->opcode == 0x85 : true;
  return jumps && (reader->opcode & 1) ? target_of(reader) : end;
}

/// True if no instruction reads the flags from `at` on. With `may`, one may read the same
/// condition.
static bool flags_end(const interlock_code_function *function, uintptr_t at, bool may) {
  for (uint32_t count = 0; count < most_behind; count++) {
    decoded step = decode(function, at);
    bool is_push = !step.is_second_map && step.opcode >= 0x50 && step.opcode <= 0x5f;
    uintptr_t end = at + step.instruction.length;
    switch (step.class) {
      case SETS_FLAGS: case ENDS_FLAGS: return true;
      case MOVE: at = end; break;
      case JUMP: at = target_of(&step); break;
      case READS_EQUALITY:
        if (!may) return false;
        at = unequal_path(&step);
        break;
      default:
        if (!is_push || step.instruction.length == 0) return false;
        at = end;
        break;
    }
  }
  return false;
}

bool interlock_exchange_code_in(const interlock_code_function *function, uintptr_t returns_to,
                                bool is_wide, interlock_exchange_code *code) {
  uint32_t values = 1u << rax | (uint32_t)is_wide << rdx;
  uintptr_t at = returns_to;
  comparison last = COMPARES_OTHER;
  for (uint32_t count = 0; count < most_copied; count++) {
    decoded step = decode(function, at);
    if (step.class == READS_EQUALITY) {
      if (last == COMPARES_OTHER) return false;
      *code = (interlock_exchange_code){at, last == COMPARES_WITH_ZERO};
      // A comparison with 0 may have another reason: the value may be an optional pointer.
      return flags_end(function, unequal_path(&step), last == COMPARES_VALUE);
    }
    bool is_copied = step.class == MOVE || step.class == SETS_FLAGS;
    if (!is_copied || step.is_relative) return false;
    if (step.class == MOVE) {
      move(&values, &step);
    } else {
      last = compare(&values, &step, is_wide);
    }
    at += step.instruction.length;
  }
  return false;
}

#else

bool interlock_exchange_code_in(const interlock_code_function *function, uintptr_t returns_to,
                                bool is_wide, interlock_exchange_code *code) {
  (void)function, (void)returns_to, (void)is_wide, (void)code;
  return false;
}

#endif

bool interlock_exchange_code_of(uintptr_t returns_to, bool is_wide, interlock_exchange_code *code) {
  interlock_code_function function;
  return interlock_code_function_of(returns_to, &function) &&
         interlock_exchange_code_in(&function, returns_to, is_wide, code);
}
