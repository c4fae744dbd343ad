/// The rows of the dependency table, apart from their look-up.
#ifndef INTERLOCK_DEPENDENCY_TABLE_H
#define INTERLOCK_DEPENDENCY_TABLE_H

#include "dependency.h"

typedef enum {
  INTERLOCK_COMMUTES,
  INTERLOCK_DEPENDS,
  /// Dependent unless both effects have the rule's flag.
  INTERLOCK_DEPENDS_UNLESS_BOTH,
  /// Dependent unless each of the rule's flags is one of either effect.
  INTERLOCK_DEPENDS_UNLESS_EITHER,
} interlock_verdict;

/// The verdict on two effects on the same object, in either order.
typedef struct {
  uint16_t a, b;
  uint8_t verdict;
  uint16_t flag;
  const char *reason;
} interlock_dependency_rule;

extern const interlock_dependency_rule interlock_dependency_rules[];
extern const size_t interlock_dependency_rule_count;

#endif
