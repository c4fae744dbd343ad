// Code of the executable that is compiled without the option, for the reports of races: the orders
// that it makes are not seen.
#include "memory_thread.h"

#if defined(INTERLOCK_INTERPOSES) && defined(__x86_64__)

#include <stdlib.h>

#include "interlock_code.h"
#include "interlock_memory.h"

void __tsan_func_entry(void *);

/// Some of a module's functions have no file.
enum { most_modules = 1024, most_functions = 8 };
/// No executable has more code, in bytes.
enum { farthest = 1 << 30 };

typedef struct {
  const char *name;
  size_t length;
  bool has_checked;
  uintptr_t plain[most_functions];
  size_t count;
} module;

typedef struct {
  interlock_memory_code_visitor visit;
  void *context;
  module modules[most_modules];
  size_t count;
} search;

/// The module of a Swift symbol, as in `$s9Interlock…`; 0 for another symbol.
static size_t module_of(const char *symbol, const char **name) {
  if (symbol[0] != '$' || symbol[1] != 's') return 0;
  size_t length = 0;
  const char *at = symbol + 2;
  for (; *at >= '0' && *at <= '9'; at++) length = length * 10 + (size_t)(*at - '0');
  *name = at;
  return length < 256 && strnlen(at, length) == length ? length : 0;
}

static module *find_module(search *all, const char *name, size_t length) {
  for (size_t i = 0; i < all->count; i++) {
    module *each = &all->modules[i];
    if (each->length == length && memcmp(each->name, name, length) == 0) return each;
  }
  if (all->count == most_modules) return NULL;
  all->modules[all->count] = (module){.name = name, .length = length};
  return &all->modules[all->count++];
}

typedef enum { CALLS_NOTHING, IS_CHECKED, IS_PLAIN } code_kind;

/// The option has every function that calls another one call `__tsan_func_entry`.
static code_kind kind_of(const interlock_code_function *function) {
  const unsigned char *code = (const unsigned char *)function->start;
  bool calls = false;
  for (size_t i = 0; i + 5 <= function->size; i++) {
    if (code[i] != 0xe8) continue;
    int32_t distance;
    memcpy(&distance, code + i + 1, sizeof distance);
    uintptr_t target = function->start + i + 5 + (uintptr_t)(intptr_t)distance;
    if (target == (uintptr_t)__tsan_func_entry) return IS_CHECKED;
    // Not of another instruction, whose bytes lead far away.
    calls |= distance > -farthest && distance < farthest;
  }
  return calls ? IS_PLAIN : CALLS_NOTHING;
}

static void visit(search *all, const interlock_code_function *function) {
  const char *symbol = function->name, *name;
  // Most of this package's functions are known without symbols.
  if (strncmp(symbol, "interlock_", 10) == 0 || strncmp(symbol, "__tsan_", 7) == 0) return;
  size_t length = module_of(symbol, &name);
  // Another symbol of Swift is of code that modules share.
  if (length == 0 && symbol[0] == '$') return;
  module *module = length > 0 ? find_module(all, name, length) : NULL;
  if (length > 0 && (!module || module->has_checked)) return;
  code_kind kind = kind_of(function);
  if (!module) {
    if (kind == IS_PLAIN) all->visit(all->context, NULL, 0, function->start);
    return;
  }
  module->has_checked |= kind == IS_CHECKED;
  if (kind == IS_PLAIN && module->count < most_functions) {
    module->plain[module->count++] = function->start;
  }
}

void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context) {
  search *all = calloc(1, sizeof *all);
  if (!all) return;
  all->visit = visitor;
  all->context = context;
  size_t count = interlock_code_symbol_count();
  for (size_t index = 0; index < count; index++) {
    interlock_code_function function;
    if (interlock_code_function_at(index, &function)) visit(all, &function);
  }
  for (size_t i = 0; i < all->count; i++) {
    const module *each = &all->modules[i];
    for (size_t k = 0; !each->has_checked && k < each->count; k++) {
      visitor(context, each->name, each->length, each->plain[k]);
    }
  }
  free(all);
}

#else

void interlock_memory_visit_plain_code(interlock_memory_code_visitor visitor, void *context) {
  (void)visitor, (void)context;
}

#endif
