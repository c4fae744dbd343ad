// Identifies the code that a queued block will run: by its function, the function of the closure in
// it, and the functions of the closures which that one has captured.
#include "../hash_table.h"
#include "context_padding.h"
#include "object_size.h"
#include "wait_table.h"

#ifdef INTERLOCK_INTERPOSES

/// The header of a block; a Swift closure follows it: its function and its context.
enum { header_words = 4, invoke_word = 2, size_word = 1, most_words = 8, deepest = 2 };

/// The words of an object on the heap; 0 if it cannot be read.
///
/// If the size of the object is not known (a context of a generic closure in a debug build, an
/// array's elements), reads the words behind the object as well. Blocks of the same code may then
/// seem to differ; without these words, blocks of different code could seem equal. Blocks may also
/// seem to differ if a context has padding behind a value of a type whose layout is not known.
static size_t words_at(uintptr_t object, uintptr_t *words) {
  size_t room, size = interlock_object_size(object, &room);
  size_t count = (size ? size : room) / sizeof *words;
  if (count > most_words) count = most_words;
  if (!interlock_peek(object, words, count * sizeof *words)) return 0;
  uint64_t padded = size ? interlock_padded_words(object, size) : 0;
  for (size_t index = 0; index < count; index++) {
    if (padded >> index & 1) words[index] = 0;
  }
  return count;
}

static uint64_t mix_captured(uint64_t hash, const uintptr_t *words, size_t count, int depth) {
  for (size_t index = 0; index < count; index++) {
    if (interlock_is_own_code(words[index])) {
      hash = mix(hash, words[index] ^ (uint64_t)index << 56 ^ (uint64_t)depth << 60);
    } else if (depth < deepest) {
      uintptr_t inner[most_words];
      hash = mix_captured(hash, inner, words_at(words[index], inner), depth + 1);
    }
  }
  return hash;
}

uint64_t interlock_waits_code(uintptr_t function, uintptr_t context, uint32_t flags) {
  if (flags & (INTERLOCK_FLAG_WORK_ITEM | INTERLOCK_FLAG_JOB | INTERLOCK_FLAG_APPLY |
               INTERLOCK_FLAG_DELAYED | INTERLOCK_FLAG_ON_GROUP)) {
    return 0;
  }
  uintptr_t words[header_words + most_words], descriptor[2];
  // A block is enqueued with one of this library's own functions.
  bool is_block = (flags & INTERLOCK_FLAG_GROUP) || interlock_is_between(function);
  if (!is_block) {
    // A plain function and its argument, of which only the words are known.
    if (!interlock_is_own_code(function)) return 0;
    uint64_t hash = mix(1, function);
    return mix_captured(hash, words, words_at(context, words), 1);
  }
  if (!interlock_peek(context, words, header_words * sizeof *words) ||
      !interlock_is_own_code(words[invoke_word]) ||
      !interlock_peek(words[header_words - 1], descriptor, sizeof descriptor)) {
    return 0;
  }
  size_t count = descriptor[size_word] / sizeof *words;
  if (count < header_words) return 0;
  if (count > header_words + most_words) count = header_words + most_words;
  if (!interlock_peek(context, words, count * sizeof *words)) return 0;
  return mix_captured(mix(2, words[invoke_word]), words + header_words, count - header_words, 0);
}

#endif
