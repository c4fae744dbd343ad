#define IN_PRODUCTION 1
#include "marks.h"

#include "interlock.h"

static int evaluated;

static int __attribute__((unused)) evaluate(void) { return ++evaluated; }
static const char *__attribute__((unused)) evaluate_part(void) { return evaluate() ? "part" : ""; }

int c_production_marks(void) {
  BEGIN_LOCK(LOCK_NO_READWRITE, "production.%d", evaluate());
  BEGIN_SYNCHED_LOCK(LOCK_NO_READWRITE, "production.%d", evaluate());
  END_LOCK(LOCK_NO_READWRITE, "production.%d", evaluate());
  BEGIN_LOCK_PART(LOCK_NO_READWRITE, evaluate_part(), "production.%d", evaluate());
  BEGIN_SYNCHED_LOCK_PART(LOCK_NO_READWRITE, evaluate_part(), "production.%d", evaluate());
  END_LOCK_PART(LOCK_NO_READWRITE, evaluate_part(), "production.%d", evaluate());
  return evaluated;
}
