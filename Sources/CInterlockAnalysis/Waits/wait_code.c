// Identifies the code that a queued block will run, by its function, the function of the closure in
// it, and the functions of the closures that this closure has captured.
#include "../hash_table.h"
#include "interlock_code.h"
#include "object_size.h"
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdlib.h>
#include <string.h>

/// The header of a block. A Swift closure follows it: its function and its context.
enum { header_words = 4, invoke_word = 2, size_word = 1, most_words = 8, deepest = 2 };

enum { type_slots = 64, object_slots = 256 };

/// The hash of the code in an object, for the depth at which it was found; 0 if it has none. The
/// depth is in the lowest bits of the key, which are 0 in an object's address.
typedef struct {
  uintptr_t key;
  uint64_t hash;
} known_object;

/// A look-up of whether a closure's code goes straight to a place.
typedef struct {
  uintptr_t invoke, code, place;
  bool is_straight;
} known_wait;

enum { wait_slots = 16, most_searched = 32 };

/// A cache, because every read of memory is a system call. A thousand blocks of one closure differ
/// in few objects, and their contexts have the same metadata.
struct interlock_code_reader {
  object_type types[type_slots];
  known_object objects[object_slots];
  known_wait waits[wait_slots];
  uint32_t waits_searched;
};

interlock_code_reader *interlock_code_reader_make(void) {
  return calloc(1, sizeof(interlock_code_reader));
}

void interlock_code_reader_free(interlock_code_reader *reader) { free(reader); }

static object_type type_of(interlock_code_reader *reader, uintptr_t metadata) {
  if (!reader) return interlock_object_type(metadata);
  object_type *known = &reader->types[mix(0, metadata) % type_slots];
  if (known->metadata != metadata) *known = interlock_object_type(metadata);
  return *known;
}

/// Reads the words of an object on the heap; returns 0 if it cannot be read.
///
/// If the size of the object is not known (a context of a generic closure in a debug build, an
/// array's elements), reads the words after the object as well. Blocks of the same code may then
/// seem to differ; without these words, blocks of different code could seem equal. Blocks may also
/// seem to differ if a context has padding after a value of a type whose layout is not known.
static size_t words_at(interlock_code_reader *reader, uintptr_t object, uintptr_t *words) {
  uintptr_t metadata;
  size_t room = interlock_object_room(object, &metadata);
  if (room == 0) return 0;
  object_type type = type_of(reader, metadata);
  size_t size = interlock_object_size(&type, room);
  size_t count = (size ? size : room) / sizeof *words;
  if (count > most_words) count = most_words;
  if (!interlock_peek(object, words, count * sizeof *words)) return 0;
  uint64_t padded = size ? type.padded : 0;
  for (size_t index = 0; index < count; index++) {
    if (padded >> index & 1) words[index] = 0;
  }
  return count;
}

static uint64_t mix_captured(interlock_code_reader *reader, uint64_t hash, const uintptr_t *words,
                             size_t count, int depth);

/// Returns the hash of the code in an object's words, found at this depth; 0 if it has none.
static uint64_t hash_of(interlock_code_reader *reader, uintptr_t object, int depth) {
  uintptr_t key = object | (uintptr_t)depth, words[most_words];
  known_object *known = reader ? &reader->objects[mix(0, key) % object_slots] : NULL;
  if (known && known->key == key) return known->hash;
  uint64_t hash = mix_captured(reader, 0, words, words_at(reader, object, words), depth);
  if (known) *known = (known_object){key, hash};
  return hash;
}

static uint64_t mix_captured(interlock_code_reader *reader, uint64_t hash, const uintptr_t *words,
                             size_t count, int depth) {
  for (size_t index = 0; index < count; index++) {
    if (interlock_is_own_code(words[index])) {
      hash = mix(hash, words[index] ^ (uint64_t)index << 56 ^ (uint64_t)depth << 60);
    } else if (depth < deepest && words[index] % 16 == 0) {
      uint64_t inner = hash_of(reader, words[index], depth + 1);
      if (inner) hash = mix(hash, inner ^ (uint64_t)index << 56);
    }
  }
  return hash;
}

static const uint32_t unread_flags = INTERLOCK_FLAG_WORK_ITEM | INTERLOCK_FLAG_JOB |
                                     INTERLOCK_FLAG_APPLY | INTERLOCK_FLAG_DELAYED |
                                     INTERLOCK_FLAG_ON_GROUP;

/// True if the context of an enqueue call is a block: a block is enqueued with one of Interlock's
/// functions that run blocks.
static bool is_block(uintptr_t function, uint32_t flags) {
  return (flags & INTERLOCK_FLAG_GROUP) || interlock_is_between(function);
}

/// The words of a block; 0 if it cannot be read.
static size_t words_of_block(uintptr_t block, uintptr_t *words) {
  uintptr_t descriptor[2];
  if (!interlock_peek(block, words, header_words * sizeof *words) ||
      !interlock_is_own_code(words[invoke_word]) ||
      !interlock_peek(words[header_words - 1], descriptor, sizeof descriptor)) {
    return 0;
  }
  size_t count = descriptor[size_word] / sizeof *words;
  if (count < header_words) return 0;
  if (count > header_words + most_words) count = header_words + most_words;
  return interlock_peek(block, words, count * sizeof *words) ? count : 0;
}

uint64_t interlock_waits_code(interlock_code_reader *reader, uintptr_t function, uintptr_t context,
                              uint32_t flags) {
  if (flags & unread_flags) return 0;
  uintptr_t words[header_words + most_words];
  if (!is_block(function, flags)) {
    // A plain function and its argument, of which only the words are known.
    if (!interlock_is_own_code(function)) return 0;
    uint64_t hash = mix(1, function);
    return mix_captured(reader, hash, words, words_at(reader, context, words), 1);
  }
  size_t count = words_of_block(context, words);
  if (count == 0) return 0;
  uint64_t hash = mix(2, words[invoke_word]);
  return mix_captured(reader, hash, words + header_words, count - header_words, 0);
}

/// Returns the hash of a closure's context: of its values, or of its address if it is an object
/// that only this closure has captured. 0 if it is not known.
static uint64_t hash_of_values(interlock_code_reader *reader, uintptr_t object) {
  uintptr_t metadata, words[most_words];
  size_t room = interlock_object_room(object, &metadata);
  object_type type = room ? type_of(reader, metadata) : (object_type){0};
  if (!type.is_context) return mix(3, object);
  size_t size = interlock_object_size(&type, room);
  size_t count = (size + sizeof *words - 1) / sizeof *words;
  if (size == 0 || type.padded || count > most_words || count * sizeof *words > room ||
      !interlock_peek(object, words, count * sizeof *words)) {
    return 0;
  }
  // Skip the second word, the reference count.
  uint64_t hash = mix(4, words[0]);
  for (size_t index = 2; index < count; index++) hash = mix(hash, words[index]);
  return hash;
}

/// True if a block consists of a closure only. Reads its words.
static bool is_closure(uintptr_t function, uintptr_t context, uint32_t flags, uintptr_t *words) {
  return !(flags & unread_flags) && is_block(function, flags) &&
         words_of_block(context, words) == header_words + 2;
}

uint64_t interlock_waits_values(interlock_code_reader *reader, uintptr_t function,
                                uintptr_t context, uint32_t flags) {
  uintptr_t words[header_words + most_words];
  if (!is_closure(function, context, flags, words)) return 0;
  uint64_t values = hash_of_values(reader, words[header_words + 1]);
  return values ? mix(mix(mix(5, words[invoke_word]), words[header_words]), values) : 0;
}

/// True if a function's symbol has the suffix of a function that the compiler makes: `TR` converts
/// a closure to a block, `TA` passes on captured values.
static bool is_made(uintptr_t address, const char *suffix, interlock_code_function *function) {
  if (!interlock_code_function_of(address, function) || function->start != address) return false;
  size_t length = strlen(function->name);
  return length > 2 && strcmp(function->name + length - 2, suffix) == 0;
}

static bool leads_to(uintptr_t code, const interlock_code_function *wanted) {
  interlock_code_function function;
  if (code == wanted->start) return true;
  if (!is_made(code, "TA", &function)) return false;
  uintptr_t target;
  for (size_t offset = 0; interlock_code_next_reference(&function, &offset, &target);) {
    if (target == wanted->start) return true;
  }
  return false;
}

static bool goes_straight(uintptr_t invoke, uintptr_t code, uintptr_t place) {
  interlock_code_function waiting, thunk;
  return interlock_code_function_of(place, &waiting) && is_made(invoke, "TR", &thunk) &&
         leads_to(code, &waiting) && interlock_code_goes_straight(&waiting, place);
}

bool interlock_waits_straight(interlock_code_reader *reader, uintptr_t function, uintptr_t context,
                              uint32_t flags, uintptr_t place) {
  uintptr_t words[header_words + most_words];
  if (!reader || !is_closure(function, context, flags, words)) return false;
  uintptr_t invoke = words[invoke_word], code = words[header_words];
  known_wait *known = &reader->waits[mix(mix(0, code), place) % wait_slots];
  if (known->invoke != invoke || known->code != code || known->place != place) {
    // Limited, because each search walks all symbols of the executable.
    if (reader->waits_searched++ >= most_searched) return false;
    *known = (known_wait){invoke, code, place, goes_straight(invoke, code, place)};
  }
  return known->is_straight;
}

#endif
