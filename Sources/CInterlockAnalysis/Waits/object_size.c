// The size of an object on Swift's heap. malloc rounds sizes up, and the bytes after an object are
// left from an earlier object: often the context of a closure, with addresses of code.
//
// A class's metadata has the size of its instances. A context's metadata has no size; it is a
// constant in the function that destroys the context, which passes it to the runtime. After the
// ABI's `TypeMetadata` and the runtime's `HeapObject.h`.
#include "object_size.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#include "../CodeScan/instruction.h"
#include "context_padding.h"
#include "interlock_waits.h"

enum { header_bytes = 2 * sizeof(uintptr_t), kind_class = 0, kind_context = 0x400 };

size_t interlock_object_room(uintptr_t object, uintptr_t *metadata) {
  *metadata = 0;
  // glibc keeps the size of a chunk, with flags, in the word before the chunk. Both words are read
  // at once: a chunk has at least three.
  uintptr_t words[2];
  if (object < 4096 || object % 16 != 0 ||
      !interlock_peek(object - sizeof *words, words, sizeof words)) {
    return 0;
  }
  uintptr_t chunk = words[0] & ~(uintptr_t)7;
  *metadata = words[1];
  // The chunk's size includes that word.
  return chunk > sizeof chunk ? chunk - sizeof chunk : 0;
}

// Classes.

typedef struct {
  uintptr_t kind, superclass;
  uint32_t flags, address_point, size;
  uint16_t alignment_mask, reserved;
  uint32_t class_size, class_address_point;
  uintptr_t description;
} class_metadata;

/// Reads a pointer that is stored as an offset from its own address.
static uintptr_t peek_relative(uintptr_t at, int32_t *offset) {
  if (!interlock_peek(at, offset, sizeof *offset) || *offset == 0) return 0;
  return at + (uintptr_t)(intptr_t)*offset;
}

/// Returns the context in which a type is declared. If the lowest bit of a pointer is set, it
/// points to the real pointer.
static uintptr_t parent_of(uintptr_t description) {
  enum { at_parent = 4 };
  int32_t offset;
  uintptr_t parent = peek_relative(description + at_parent, &offset);
  if (!(offset & 1) || !parent) return parent;
  return interlock_peek(parent - 1, &parent, sizeof parent) ? parent : 0;
}

/// True if a class is the standard library's, where instances of some classes have elements behind
/// them; and if that is not known.
static bool is_in_standard_library(uintptr_t description) {
  enum { deepest = 8, kinds = 0x1f, kind_module = 0, at_name = 8 };
  for (int depth = 0; depth < deepest && description; depth++) {
    uint32_t flags;
    if (!interlock_peek(description, &flags, sizeof flags)) return true;
    if ((flags & kinds) == kind_module) {
      char name[sizeof "Swift"];
      int32_t offset;
      uintptr_t at = peek_relative(description + at_name, &offset);
      if (!at || !interlock_peek(at, name, sizeof name)) return true;
      return memcmp(name, "Swift", sizeof name) == 0;
    }
    description = parent_of(description);
  }
  return true;
}

static size_t size_of_instance(uintptr_t metadata) {
  enum { most_classes = 16 };
  class_metadata known;
  if (!interlock_peek(metadata, &known, sizeof known)) return 0;
  if (known.address_point != 0 || known.size < header_bytes) return 0;
  // The mask must be one less than a power of 2.
  if (known.alignment_mask == 0 || (known.alignment_mask & (known.alignment_mask + 1))) return 0;
  class_metadata above = known;
  for (int number = 0; number < most_classes; number++) {
    if (above.kind != kind_class || is_in_standard_library(above.description)) return 0;
    if (above.superclass == 0) return known.size;
    if (!interlock_peek(above.superclass, &above, sizeof above)) return 0;
  }
  return 0;
}

// Contexts of closures, and boxes of variables.

/// Reads the immediate operand of an instruction that loads 32 bits into a register. The register's
/// number in the manual is part of the opcode.
static bool loads(const unsigned char *code, unsigned char number, uint32_t *value) {
  if (code[0] != 0xb8 + number) return false;
  memcpy(value, code + 1, sizeof *value);
  return true;
}

/// True if an instruction is known to keep the registers of the second and the third argument.
static bool keeps_arguments(const unsigned char *code) {
  enum { rdx = 2, rsi = 6, rdi = 7 };
  if (code[0] >= 0x58 && code[0] <= 0x5f) return code[0] != 0x58 + rdx && code[0] != 0x58 + rsi;
  if (code[0] == 0x41 && code[1] >= 0x58 && code[1] <= 0x5f) return true;
  // add $…, %rsp.
  if (code[0] == 0x48 && (code[1] == 0x83 || code[1] == 0x81) && code[2] == 0xc4) return true;
  // mov …, %rdi, from memory or from another register.
  if ((code[0] == 0x48 || code[0] == 0x49) && code[1] == 0x8b) return (code[2] >> 3 & 7) == rdi;
  if ((code[0] == 0x48 || code[0] == 0x4c) && code[1] == 0x89) {
    return code[2] >> 6 == 3 && (code[2] & 7) == rdi;
  }
  return false;
}

/// Returns the size that a function passes to the runtime to free an object: the second argument;
/// the third is the alignment mask. 0 if the size is not a constant.
static size_t size_in_code(const unsigned char *code, size_t length) {
  enum { rdx = 2, rsi = 6, longest = 15, call = 0xe8, jump = 0xe9, returns = 0xc3 };
  uint32_t size = 0, mask = 0;
  bool has_size = false, has_mask = false;
  for (size_t at = 0; at + longest <= length;) {
    size_t step = interlock_decode(code + at, length - at).length;
    if (step == 0) return 0;
    const unsigned char *next = code + at;
    if (loads(next, rsi, &size)) {
      has_size = true;
    } else if (loads(next, rdx, &mask)) {
      has_mask = true;
    } else if (!keeps_arguments(next)) {
      bool is_call = next[0] == call || next[0] == jump;
      if (is_call && has_size && has_mask && mask && !(mask & (mask + 1))) return size;
      has_size = has_mask = false;
      if (next[0] == jump || next[0] == returns) return 0;
    }
    at += step;
  }
  return 0;
}

static size_t size_of_context(uintptr_t metadata) {
  enum { jump = 0xe9, jump_bytes = 5, shortest = 64 };
  // The words before the kind are the value witness table and, before that, the destroy function.
  uintptr_t destroy;
  if (!interlock_peek(metadata - 2 * sizeof destroy, &destroy, sizeof destroy)) return 0;
  // The optimiser merges equal functions: all but one become a jump to the remaining one.
  for (int jumps = 0; jumps < 3; jumps++) {
    if (!interlock_is_code(destroy)) return 0;
    unsigned char code[512];
    size_t length = sizeof code;
    // The last function of a module may end before `length` bytes.
    while (length >= shortest && !interlock_peek(destroy, code, length)) length /= 2;
    if (length < shortest) return 0;
    if (code[0] != jump) return size_in_code(code, length);
    int32_t offset;
    memcpy(&offset, code + 1, sizeof offset);
    destroy += jump_bytes + (uintptr_t)(intptr_t)offset;
  }
  return 0;
}

object_type interlock_object_type(uintptr_t metadata) {
  object_type type = {.metadata = metadata};
  uintptr_t kind;
  if (metadata % sizeof kind != 0 || !interlock_peek(metadata, &kind, sizeof kind)) return type;
  if (kind == kind_class) type.size = size_of_instance(metadata);
  if (kind == kind_context) {
    type.is_context = true;
    type.size = size_of_context(metadata);
    type.padded = type.size ? interlock_padded_words(metadata, type.size) : 0;
  }
  return type;
}

size_t interlock_object_size(const object_type *type, size_t room) {
  // malloc allocates at most three words too many: it rounds up, and does not leave a remainder
  // that is too small.
  enum { most_padding = 3 * sizeof(uintptr_t) + 7 };
  if (type->size < header_bytes || type->size > room) return 0;
  return !type->is_context || room - type->size <= most_padding ? type->size : 0;
}

#endif
