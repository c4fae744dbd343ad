// Looks the dependency table up.

#include "dependency.h"

#include "dependency_table.h"

#define K(name) INTERLOCK_OPERATION_##name

// The clock is one object with this number, whatever number an engine gives it.
enum { CLOCK = UINT32_MAX };

static struct {
  uint8_t verdict;
  uint16_t flag;
  const char *reason;
} matrix[INTERLOCK_EFFECT_COUNT][INTERLOCK_EFFECT_COUNT];
static bool has_row[INTERLOCK_EFFECT_COUNT];

// Fills the table before main. It is constant from then on, so that every thread may read it.
__attribute__((constructor)) static void fill(void) {
  for (int a = 0; a < INTERLOCK_EFFECT_COUNT; a++) {
    for (int b = 0; b < INTERLOCK_EFFECT_COUNT; b++) {
      matrix[a][b].verdict = INTERLOCK_DEPENDS;
      matrix[a][b].reason = "no row";
    }
  }
  for (size_t i = 0; i < interlock_dependency_rule_count; i++) {
    const interlock_dependency_rule *rule = &interlock_dependency_rules[i];
    for (int side = 0; side < 2; side++) {
      uint16_t a = side ? rule->b : rule->a, b = side ? rule->a : rule->b;
      matrix[a][b].verdict = rule->verdict;
      matrix[a][b].flag = rule->flag;
      matrix[a][b].reason = rule->reason;
      has_row[a] = true;
    }
  }
  // These two kinds have no effect that another thread could observe.
  has_row[K(START)] = has_row[K(YIELD)] = true;
}

unsigned interlock_effects(const interlock_operation *operation, interlock_effect effects[2]) {
  unsigned count = 0;
  uint16_t second = 0;
  switch (operation->kind) {
    case K(START):
    case K(YIELD):
      return 0;
    case K(LOCK):
      second = INTERLOCK_EFFECT_WAKE;
      break;
    case K(WAIT):
      second = K(UNLOCK);
      break;
    case K(BEGIN):
    case K(BEGIN_BARRIER):
      second = K(TAKE_WORKER);
      break;
    case K(TIME_UP):
      second = INTERLOCK_EFFECT_TOUCH;
      break;
    default:
      break;
  }
  uint32_t object = operation->object;
  if (operation->kind == K(READ_CLOCK) || operation->kind == K(TIME_UP)) object = CLOCK;
  if (object) effects[count++] = (interlock_effect){operation->kind, operation->flags, object};
  if (second && operation->other) {
    effects[count++] = (interlock_effect){second, 0, operation->other};
  }
  return count;
}

bool interlock_effects_depend(const interlock_effect *a, const interlock_effect *b) {
  uint8_t verdict = matrix[a->kind][b->kind].verdict;
  uint16_t flag = matrix[a->kind][b->kind].flag;
  if (verdict == INTERLOCK_COMMUTES) return false;
  if (verdict == INTERLOCK_DEPENDS_UNLESS_EITHER) return ((a->flags | b->flags) & flag) != flag;
  return !flag || !(a->flags & b->flags & flag);
}

bool interlock_operation_is_global(const interlock_operation *operation) {
  uint16_t kind = operation->kind;
  if (kind >= INTERLOCK_OPERATION_COUNT || !has_row[kind]) return true;
  return kind == K(TIME_UP) && !(operation->flags & INTERLOCK_OPERATION_TIME_IS_A_CHOICE);
}

bool interlock_operations_depend(const interlock_operation *a, const interlock_operation *b) {
  if (interlock_operation_is_global(a) || interlock_operation_is_global(b)) return true;
  interlock_effect of_a[2], of_b[2];
  unsigned count_a = interlock_effects(a, of_a), count_b = interlock_effects(b, of_b);
  for (unsigned i = 0; i < count_a; i++) {
    for (unsigned k = 0; k < count_b; k++) {
      if (of_a[i].object == of_b[k].object && interlock_effects_depend(&of_a[i], &of_b[k])) {
        return true;
      }
    }
  }
  return false;
}

bool interlock_operation_has_row(uint16_t kind) {
  return kind < INTERLOCK_OPERATION_COUNT && has_row[kind];
}

const char *interlock_dependency_reason(uint16_t a, uint16_t b) {
  if (a >= INTERLOCK_EFFECT_COUNT || b >= INTERLOCK_EFFECT_COUNT) return "no row";
  return matrix[a][b].reason;
}

const char *interlock_operation_name(uint16_t kind) {
  static const char *const names[INTERLOCK_EFFECT_COUNT] = {
      "none", "start", "end", "join", "lock", "try-lock", "unlock", "shared lock",
      "shared try-lock", "shared unlock", "wait", "signal", "broadcast", "semaphore wait",
      "semaphore try", "semaphore signal", "barrier wait", "group enter", "group leave",
      "group wait", "group notify", "enqueue", "begin", "begin barrier", "finish", "suspend",
      "resume", "cancel item", "test item", "take worker", "give worker", "await", "complete",
      "cancel", "test cancel", "continuation wait", "continuation resume", "read section",
      "write section", "end of read section", "end of write section", "sync point", "read", "write",
      "read-write", "read file", "change file", "pass folder", "change folder", "read clock",
      "time up", "yield", "unknown", "wake", "touch",
  };
  return kind < INTERLOCK_EFFECT_COUNT ? names[kind] : "unknown";
}
