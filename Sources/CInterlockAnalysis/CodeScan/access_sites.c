// Numbers for the calls that instrumented code makes at its accesses; the numbers outlive a build.
// In C, because it reads code as bytes.
#include "interlock_code.h"

#if defined(__linux__) && defined(__x86_64__)

#include <string.h>

// The section of the functions that check accesses, whose bounds the linker defines. NULL if memory
// is not checked.
extern const unsigned char __start_interlock_accesses[]
    __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop_interlock_accesses[] __attribute__((weak, visibility("hidden")));

enum { call_length = 5 };

/// True if the bytes are a direct call of such a function. Bytes within another instruction match
/// only by a displacement that leads there by chance.
static bool is_access(const unsigned char *code) {
  int32_t distance;
  if (*code != 0xe8) return false;
  memcpy(&distance, code + 1, sizeof distance);
  uintptr_t target = (uintptr_t)code + call_length + (uintptr_t)(intptr_t)distance;
  return target - (uintptr_t)__start_interlock_accesses <
         (uintptr_t)__stop_interlock_accesses - (uintptr_t)__start_interlock_accesses;
}

/// FNV-1a (Fowler, Noll, Vo). Never 0.
static uint32_t hash(const char *name) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 0x100000001b3ull;
  uint32_t folded = (uint32_t)(hash ^ hash >> 32);
  return folded ? folded : 1;
}

uint64_t interlock_access_key(uintptr_t returns_to) {
  interlock_code_function function;
  if (!interlock_code_function_of(returns_to - 1, &function)) return 0;
  uintptr_t call = returns_to - call_length;
  if (call < function.start || !is_access((const unsigned char *)call)) return 0;
  uint32_t before = 0;
  for (uintptr_t at = function.start; at < call; at++) {
    before += is_access((const unsigned char *)at);
  }
  return (uint64_t)hash(function.name) << 32 | before;
}

/// Returns the return address of the call with `before` such calls before it in the function; 0 if
/// there are fewer.
static uintptr_t find(const interlock_code_function *function, uint32_t before) {
  uintptr_t end = function->start + function->size;
  for (uintptr_t at = function->start; at + call_length <= end; at++) {
    if (is_access((const unsigned char *)at) && before-- == 0) return at + call_length;
  }
  return 0;
}

uintptr_t interlock_access_site(uint64_t key) {
  uintptr_t site = 0;
  size_t count = interlock_code_symbol_count();
  for (size_t index = 0; index < count && !site; index++) {
    interlock_code_function function;
    if (!interlock_code_function_at(index, &function)) continue;
    if (hash(function.name) == key >> 32) site = find(&function, (uint32_t)key);
  }
  return site;
}

#else

uint64_t interlock_access_key(uintptr_t returns_to) {
  (void)returns_to;
  return 0;
}

uintptr_t interlock_access_site(uint64_t key) {
  (void)key;
  return 0;
}

#endif
