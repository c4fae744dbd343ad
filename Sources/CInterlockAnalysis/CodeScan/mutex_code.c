// Finds the compare-exchanges by which code locks and unlocks a `Mutex` of the standard library,
// whose fast path is inlined into its user. The function that the code calls if the exchange fails
// shows which of the two it is.
#include "instruction.h"
#include "interlock_code.h"

#if defined(__linux__) && defined(__x86_64__)

#include <string.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

// The addresses of these functions; NULL if the program does not have them.
extern const char lock_slow[] __asm__(LOCK_SLOW) __attribute__((weak));
extern const char unlock_slow[] __asm__(UNLOCK_SLOW) __attribute__((weak));
extern const char try_slow[] __asm__(TRY_SLOW) __attribute__((weak));

static const struct {
  const char *name, *function;
  interlock_mutex_use use;
} slow_paths[] = {{LOCK_SLOW, lock_slow, INTERLOCK_MUTEX_LOCK},
                  {UNLOCK_SLOW, unlock_slow, INTERLOCK_MUTEX_UNLOCK},
                  {TRY_SLOW, try_slow, INTERLOCK_MUTEX_TRY}};
enum { slow_path_count = sizeof slow_paths / sizeof *slow_paths };

static interlock_mutex_use use_of(uintptr_t function) {
  for (size_t index = 0; index < slow_path_count; index++) {
    if ((uintptr_t)slow_paths[index].function == function) return slow_paths[index].use;
  }
  const char *name = interlock_code_import_at(function);
  for (size_t index = 0; name && index < slow_path_count; index++) {
    if (strcmp(name, slow_paths[index].name) == 0) return slow_paths[index].use;
  }
  return INTERLOCK_MUTEX_NONE;
}

/// True if instrumented code calls the function for an access that is not atomic, or to record its
/// call stack.
static bool is_for_access(uintptr_t function) {
  size_t index;
  const char *name;
  return interlock_code_symbol_with(function, &index, &name) && strncmp(name, "__tsan_", 7) == 0 &&
         strncmp(name, "__tsan_atomic", 13) != 0;
}

enum { most_places = 32 };

/// Offsets of code that is still to be followed. An offset without room is not followed.
typedef struct {
  size_t offsets[most_places], count, next;
} places;

static void add(places *all, size_t offset) {
  for (size_t index = 0; index < all->count; index++) {
    if (all->offsets[index] == offset) return;
  }
  if (all->count < most_places) all->offsets[all->count++] = offset;
}

/// True if an instruction returns or traps.
static bool ends(const unsigned char *code) {
  enum { returns = 0xc3, breakpoint = 0xcc, second_map = 0x0f, undefined = 0x0b };
  return *code == returns || *code == breakpoint || (*code == second_map && code[1] == undefined);
}

/// Follows the code to the first call on each path, or the next atomic instruction.
static interlock_mutex_use follow(const interlock_code_function *function, uintptr_t after,
                                  bool is_instrumented) {
  enum { most_steps = 400 };
  places places = {0};
  add(&places, after - function->start);
  unsigned uses = 0, steps = 0;
  while (places.next < places.count) {
    size_t offset = places.offsets[places.next++];
    while (offset < function->size && steps++ < most_steps) {
      const unsigned char *code = (const unsigned char *)function->start + offset;
      interlock_instruction next = interlock_decode(code, function->size - offset);
      if (next.length == 0 || next.is_atomic || ends(code)) break;
      offset += next.length;
      uintptr_t target;
      bool is_conditional;
      if (*code == 0xe8) {
        int32_t distance;
        memcpy(&distance, code + 1, sizeof distance);
        target = function->start + offset + (uintptr_t)(intptr_t)distance;
        if (is_instrumented && is_for_access(target)) continue;
        uses |= 1u << use_of(target);
        break;
      }
      if (next.calls) break;
      if (!interlock_jump_of(&next, &target, &is_conditional)) continue;
      if (target - function->start < function->size) {
        add(&places, target - function->start);
      } else if (!is_conditional) {
        // A tail call.
        uses |= 1u << use_of(target);
      }
      if (!is_conditional) break;
    }
  }
  switch (uses & ~(1u << INTERLOCK_MUTEX_NONE)) {
    case 1u << INTERLOCK_MUTEX_LOCK: return INTERLOCK_MUTEX_LOCK;
    case 1u << INTERLOCK_MUTEX_TRY: return INTERLOCK_MUTEX_TRY;
    case 1u << INTERLOCK_MUTEX_UNLOCK: return INTERLOCK_MUTEX_UNLOCK;
    default: return INTERLOCK_MUTEX_NONE;
  }
}

interlock_mutex_use interlock_mutex_use_before(uintptr_t after) {
  size_t index;
  const char *name;
  interlock_code_function function;
  if (!interlock_code_symbol_with(after - 1, &index, &name) ||
      !interlock_code_function_at(index, &function)) {
    return INTERLOCK_MUTEX_NONE;
  }
  return follow(&function, after, true);
}

/// Returns the next `lock cmpxchg` of 32 bits; NULL if there is none. The bytes may lie inside
/// another instruction.
static const unsigned char *next_exchange(const unsigned char *at, const unsigned char *end) {
  while (end - at > 1 && (at = memchr(at, 0x0f, (size_t)(end - at) - 1))) {
    if (at[1] == 0xb1) return at;
    at++;
  }
  return NULL;
}

/// Returns the start of the instruction whose opcode is at `opcode`; NULL if it is not such an
/// instruction.
static const unsigned char *start_of(const unsigned char *first, const unsigned char *opcode) {
  enum { lock = 0xf0, rex = 0x40, wide = 8 };
  const unsigned char *at = opcode - 1;
  if (at > first && (*at & 0xf0) == rex && !(*at & wide)) at--;
  return at >= first && *at == lock && (at == first || at[-1] != 0x66) ? at : NULL;
}

static bool is_instruction(const interlock_code_function *function, const unsigned char *start) {
  const unsigned char *code = (const unsigned char *)function->start;
  size_t offset = 0;
  while (code + offset < start) {
    size_t length = interlock_decode(code + offset, function->size - offset).length;
    if (length == 0) return false;
    offset += length;
  }
  return code + offset == start;
}

static void find_in(const interlock_code_function *function,
                    interlock_mutex_instruction_found *found) {
  const unsigned char *first = (const unsigned char *)function->start;
  const unsigned char *end = first + function->size, *at = first;
  for (; (at = next_exchange(at, end)); at += 2) {
    const unsigned char *start = start_of(first, at);
    if (!start || !is_instruction(function, start)) continue;
    interlock_instruction exchange = interlock_decode(start, (size_t)(end - start));
    uintptr_t after = (uintptr_t)start + exchange.length;
    if (exchange.length == 0) continue;
    interlock_mutex_use use = follow(function, after, false);
    if (use != INTERLOCK_MUTEX_NONE) found(function, &exchange, use);
  }
}

bool interlock_has_mutex_code(void) { return lock_slow || unlock_slow || try_slow; }

void interlock_find_mutex_instructions(interlock_mutex_instruction_found *found) {
  size_t count = interlock_code_symbol_count();
  for (size_t index = 0; index < count; index++) {
    interlock_code_function function;
    if (interlock_code_function_at(index, &function)) find_in(&function, found);
  }
}

#else

interlock_mutex_use interlock_mutex_use_before(uintptr_t after) {
  (void)after;
  return INTERLOCK_MUTEX_NONE;
}

#endif
