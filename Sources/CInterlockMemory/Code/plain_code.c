// Finds the code of the executable that is compiled without the option, and the calls that checked
// code makes to it.
#include "plain_code.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__x86_64__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "interlock_code.h"

uintptr_t interlock_plain_function_entry;

enum { most_modules = 1024 };

/// The Swift modules with at least one checked function.
static struct {
  struct {
    const char *name;
    size_t length;
  } list[most_modules];
  size_t count;
} checked_modules;

plain_calls interlock_plain_calls;

/// Finds the module in a Swift symbol, as in `$s9Interlock…`, and returns the length of its name; 0
/// for another symbol.
static size_t module_of(const char *symbol, const char **name) {
  if (symbol[0] != '$' || symbol[1] != 's') return 0;
  size_t length = 0;
  const char *at = symbol + 2;
  for (; *at >= '0' && *at <= '9'; at++) length = length * 10 + (size_t)(*at - '0');
  *name = at;
  return length < 256 && strnlen(at, length) == length ? length : 0;
}

static bool is_checked_module(const char *name, size_t length) {
  for (size_t i = 0; i < checked_modules.count; i++) {
    if (checked_modules.list[i].length != length) continue;
    if (memcmp(checked_modules.list[i].name, name, length) == 0) return true;
  }
  return false;
}

static void add_checked_module(const char *symbol) {
  const char *name;
  size_t length = module_of(symbol, &name);
  if (length == 0 || is_checked_module(name, length)) return;
  // Without room, the other functions of the module count as plain.
  if (checked_modules.count == most_modules) return;
  checked_modules.list[checked_modules.count].name = name;
  checked_modules.list[checked_modules.count++].length = length;
}

/// Finds the next bytes between two addresses that form a direct call, if they are not inside
/// another instruction. Writes the target and returns the return address; NULL if there are none.
static const unsigned char *next_call(const unsigned char *at, const unsigned char *end,
                                      uintptr_t *target) {
  enum { distance_size = 4 };
  if (end - at <= distance_size) return NULL;
  at = memchr(at, 0xe8, (size_t)(end - at) - distance_size);
  if (!at) return NULL;
  int32_t distance;
  memcpy(&distance, ++at, sizeof distance);
  at += sizeof distance;
  *target = (uintptr_t)at + (uintptr_t)(intptr_t)distance;
  return at;
}

/// True if the function calls `__tsan_func_entry`, as every function compiled with the option does
/// if it calls another one. Bytes inside another instruction would match only by a displacement
/// that leads there by chance.
static bool is_checked(const interlock_code_function *function) {
  const unsigned char *at = (const unsigned char *)function->start, *end = at + function->size;
  // Continue just behind the opcode, because the bytes found may not be a call.
  for (uintptr_t target; (at = next_call(at, end, &target)); at -= 4) {
    if (target == interlock_plain_function_entry) return true;
  }
  return false;
}

static bool ends_with(const char *text, size_t length, const char *end) {
  size_t size = strlen(end);
  return length >= size && memcmp(text + length - size, end, size) == 0;
}

/// True if a Swift symbol is an outlined copy or another operation of a type's values, or an
/// accessor of the type's conformance. Each module that uses the type has its own copy, and none is
/// checked.
static bool is_of_type(const char *symbol) {
  size_t length = strlen(symbol);
  return ends_with(symbol, length, "Wl") ||
         (length > 1 && ends_with(symbol, length - 1, "WO"));
}

/// True if, by its name, a function that is not checked may be plain code.
static bool has_plain_name(const interlock_code_function *function) {
  const char *symbol = function->name, *name;
  // Excludes most of this package's functions.
  if (strncmp(symbol, "interlock_", 10) == 0 || strncmp(symbol, "__tsan_", 7) == 0) return false;
  size_t length = module_of(symbol, &name);
  // A Swift symbol without a module is of code that modules share.
  return symbol[0] != '$' ||
         (length > 0 && !is_checked_module(name, length) && !is_of_type(symbol));
}

/// True if such a function is plain code. Excludes functions that cannot order anything, and
/// interposed functions, of which a library has a definition too.
static bool is_plain(const interlock_code_function *function) {
  return interlock_code_has_effect(function) &&
         !(function->is_global && dlsym(RTLD_NEXT, function->name));
}

/// A function that may be plain code.
typedef struct {
  interlock_code_function function;
  bool is_judged, is_plain;
} candidate;

static int by_start(const void *one, const void *other) {
  uintptr_t a = ((const candidate *)one)->function.start;
  uintptr_t b = ((const candidate *)other)->function.start;
  return (a > b) - (a < b);
}

static int by_return(const void *one, const void *other) {
  uintptr_t a = ((const plain_call *)one)->returns_to, b = ((const plain_call *)other)->returns_to;
  return (a > b) - (a < b);
}

enum { filter_bits = 1 << 16 };

static struct {
  interlock_code_function *checked;
  candidate *candidates;
  size_t checked_count, candidate_count;
  /// A bit for the address of each candidate. Few other functions share one of these bits.
  uint8_t filter[filter_bits / 8];
} all;

static uint32_t filter_bit(uintptr_t address) { return address >> 4 & (filter_bits - 1); }

/// True if a call leads to plain code.
static bool leads_to_plain_code(const interlock_code_function *caller, uintptr_t target) {
  uint32_t bit = filter_bit(target);
  if (!(all.filter[bit / 8] >> bit % 8 & 1)) return false;
  candidate key = {.function.start = target};
  candidate *found =
      bsearch(&key, all.candidates, all.candidate_count, sizeof key, by_start);
  if (!found) return false;
  // Other local functions that Swift code calls are the compiler's own, or come from headers and
  // are checked.
  const interlock_code_function *function = &found->function;
  if (!function->is_global && function->name[0] != '$' && caller->name[0] == '$') return false;
  if (!found->is_judged) found->is_plain = is_plain(function);
  found->is_judged = true;
  return found->is_plain;
}

static bool add_call(uintptr_t returns_to, uintptr_t target) {
  plain_calls *calls = &interlock_plain_calls;
  // The list doubles whenever it is full: at 0, 1, 2, 4, ….
  if ((calls->count & (calls->count - 1)) == 0) {
    size_t capacity = calls->count ? calls->count * 2 : 1;
    plain_call *list = realloc(calls->list, capacity * sizeof *list);
    if (!list) return false;
    calls->list = list;
  }
  calls->list[calls->count++] = (plain_call){returns_to, target, false};
  return true;
}

/// Adds a function's calls of plain code. Decodes the function only if some of its bytes may be
/// such a call.
static bool add_calls_of(const interlock_code_function *caller) {
  const unsigned char *at = (const unsigned char *)caller->start, *end = at + caller->size;
  uintptr_t target, returns_to;
  while ((at = next_call(at, end, &target)) && !leads_to_plain_code(caller, target)) at -= 4;
  if (!at) return true;
  for (size_t offset = 0; interlock_code_next_call(caller, &offset, &returns_to, &target);) {
    if (leads_to_plain_code(caller, target) && !add_call(returns_to, target)) return false;
  }
  return true;
}

/// Divides the functions into checked ones and candidates for plain code.
static void divide(size_t symbols) {
  for (size_t index = 0; index < symbols; index++) {
    interlock_code_function function;
    if (!interlock_code_function_at(index, &function)) continue;
    if (is_checked(&function)) {
      add_checked_module(function.name);
      all.checked[all.checked_count++] = function;
    } else {
      all.candidates[all.candidate_count++].function = function;
    }
  }
  // Names can be judged only once all checked modules are known.
  size_t count = 0;
  for (size_t index = 0; index < all.candidate_count; index++) {
    if (!has_plain_name(&all.candidates[index].function)) continue;
    all.candidates[count++] = all.candidates[index];
    uint32_t bit = filter_bit(all.candidates[index].function.start);
    all.filter[bit / 8] |= (uint8_t)(1 << bit % 8);
  }
  all.candidate_count = count;
  qsort(all.candidates, count, sizeof *all.candidates, by_start);
}

void interlock_plain_code_find(void) {
  size_t symbols = interlock_code_symbol_count();
  all.checked = calloc(symbols, sizeof *all.checked);
  all.candidates = calloc(symbols, sizeof *all.candidates);
  bool has_room = all.checked && all.candidates;
  if (has_room) divide(symbols);
  for (size_t index = 0; index < all.checked_count && has_room; index++) {
    has_room = add_calls_of(&all.checked[index]);
  }
  qsort(interlock_plain_calls.list, interlock_plain_calls.count, sizeof(plain_call), by_return);
  free(all.checked);
  free(all.candidates);
}

void interlock_memory_visit_modules(interlock_memory_module_visitor visitor, void *context) {
  for (size_t i = 0; i < checked_modules.count; i++) {
    const char *name = checked_modules.list[i].name;
    size_t length = checked_modules.list[i].length;
    // A declaration follows the module, and begins with its length. After an associated type none
    // follows.
    if (name[length] >= '0' && name[length] <= '9') visitor(context, name, length);
  }
}

bool interlock_memory_is_plain(uintptr_t returns_to) {
  interlock_code_function function;
  return interlock_code_function_of(returns_to - 1, &function) && !is_checked(&function) &&
         has_plain_name(&function) && is_plain(&function);
}

void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context) {
  for (size_t index = 0; index < interlock_plain_calls.count; index++) {
    const plain_call *call = &interlock_plain_calls.list[index];
    // Relaxed: the flag is only ever set.
    if (!__atomic_load_n(&call->is_made, __ATOMIC_RELAXED)) continue;
    visitor(context, call->target);
  }
}

#else

void interlock_memory_visit_modules(interlock_memory_module_visitor visitor, void *context) {
  (void)visitor, (void)context;
}

bool interlock_memory_is_plain(uintptr_t returns_to) {
  (void)returns_to;
  return false;
}

void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context) {
  (void)visitor, (void)context;
}

#endif
