// The padding in a closure's context. A Bool before a reference leaves seven bytes with the values
// of an earlier context in the same memory, so the word may look like an address of code.
//
// The metadata of a context names the types of the captured values, for reflection. After the ABI's
// `HeapLocalVariableMetadata` and `CaptureDescriptor`, and docs/ABI/Mangling.rst.
#include "context_padding.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>

#include "interlock_waits.h"

enum { kind_context = 0x400, word = sizeof(uintptr_t) };

typedef struct {
  uintptr_t kind;
  uint32_t first_offset;
  uintptr_t captures;
} context_metadata;

typedef struct {
  uint32_t count, sources, bindings;
} capture_descriptor;

/// The mangled name of a type, which may refer to a declaration by an address.
typedef struct {
  uintptr_t at;
  unsigned char bytes[64];
  size_t length;
} type_name;

/// A reference begins with one of the first 31 characters. From 24 on, a whole address follows.
enum { relative_class = 1, indirect_class = 2, first_absolute = 0x18, last_reference = 0x1f };

static bool read_name(uintptr_t at, type_name *name) {
  name->at = at;
  size_t room = sizeof name->bytes;
  while (room >= 8 && !interlock_peek(at, name->bytes, room)) room /= 2;
  if (room < 8) return false;
  for (size_t index = 0; index < room; index++) {
    unsigned char byte = name->bytes[index];
    if (byte == 0) {
      name->length = index;
      return index > 0;
    }
    if (byte <= last_reference) index += byte < first_absolute ? 4 : 8;
  }
  return false;
}

/// True if a name consists of a reference to a class only.
static bool is_class(const type_name *name, size_t length) {
  enum { reference_bytes = 5, kinds = 0x1f, kind_class = 16 };
  unsigned char form = name->bytes[0];
  if (length != reference_bytes || (form != relative_class && form != indirect_class)) return false;
  int32_t offset;
  memcpy(&offset, name->bytes + 1, sizeof offset);
  uintptr_t description = name->at + 1 + (uintptr_t)(intptr_t)offset;
  if (form == indirect_class && !interlock_peek(description, &description, sizeof description)) {
    return false;
  }
  uint32_t flags;
  return interlock_peek(description, &flags, sizeof flags) && (flags & kinds) == kind_class;
}

static bool is_named(const type_name *name, size_t length, const char *text) {
  return length == strlen(text) && memcmp(name->bytes, text, length) == 0;
}

/// True if a name is that of a function with a context: the type of a closure, or the lowered type
/// of an escaping function that the callee does not own.
static bool is_closure(const type_name *name) {
  if (name->bytes[name->length - 1] == 'c') return true;
  if (name->bytes[name->length - 1] != '_') return false;
  size_t at = name->length - 1;
  while (at > 0 && name->bytes[at - 1] >= 'a' && name->bytes[at - 1] <= 'z') at--;
  return at > 0 && name->bytes[at - 1] == 'I' && memcmp(name->bytes + at, "eg", 2) == 0;
}

/// Finds the size and the alignment of a type. Returns false if this file does not know the type.
static bool layout_of(const type_name *name, size_t *size, size_t *alignment) {
  size_t length = name->length;
  *size = *alignment = word;
  // An optional of a reference has the size of the reference.
  if (length > 2 && memcmp(name->bytes + length - 2, "Sg", 2) == 0 && is_class(name, length - 2)) {
    return true;
  }
  if (is_class(name, length) || is_named(name, length, "Si") || is_named(name, length, "Su") ||
      is_named(name, length, "Sd")) {
    return true;
  }
  if (is_named(name, length, "Sb")) {
    *size = *alignment = 1;
    return true;
  }
  // A function with its context, or a string.
  *size = 2 * word;
  return is_closure(name) || is_named(name, length, "SS");
}

static uint64_t words_from(size_t first, size_t end) {
  uint64_t words = 0;
  for (size_t at = first; at < end; at++) words |= at / word < 64 ? (uint64_t)1 << at / word : 0;
  return words;
}

uint64_t interlock_padded_words(uintptr_t metadata, size_t size) {
  context_metadata known;
  capture_descriptor captures;
  if (!interlock_peek(metadata, &known, sizeof known) || known.kind != kind_context ||
      !known.captures || !interlock_peek(known.captures, &captures, sizeof captures) ||
      captures.bindings > 0) {
    return 0;
  }
  uint64_t padded = 0;
  size_t end = known.first_offset;
  uintptr_t record = known.captures + sizeof captures;
  for (uint32_t number = 0; number < captures.count; number++, record += sizeof(int32_t)) {
    int32_t offset;
    type_name name;
    size_t bytes, alignment;
    if (!interlock_peek(record, &offset, sizeof offset) ||
        !read_name(record + (uintptr_t)(intptr_t)offset, &name) ||
        !layout_of(&name, &bytes, &alignment)) {
      return padded;
    }
    size_t begin = (end + alignment - 1) / alignment * alignment;
    if (begin + bytes > size) return 0;
    padded |= words_from(end, begin);
    end = begin + bytes;
  }
  // A context has no word after its captures: if there is one, a layout above was wrong.
  return size - end < word ? padded | words_from(end, size) : 0;
}

#endif
