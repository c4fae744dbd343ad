/// The rows of the dependency table. Included by dependency.c and dependency_table.c only.
#ifndef INTERLOCK_DEPENDENCY_TABLE_H
#define INTERLOCK_DEPENDENCY_TABLE_H

#include "dependency.h"

typedef enum {
  INTERLOCK_COMMUTES,
  INTERLOCK_DEPENDS,
  /// Dependent unless both effects have the rule's flag.
  INTERLOCK_DEPENDS_UNLESS_BOTH,
  /// Dependent unless the two effects together have all bits of the rule's flag.
  INTERLOCK_DEPENDS_UNLESS_EITHER,
} interlock_verdict;

/// The verdict on effects `a` and `b` on one object, in either order.
typedef struct {
  uint16_t a, b;
  uint8_t verdict;
  uint16_t flag;
  const char *reason;
} interlock_dependency_rule;

extern const interlock_dependency_rule interlock_dependency_rules[];
extern const size_t interlock_dependency_rule_count;

#endif
