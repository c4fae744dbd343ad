#define IN_PRODUCTION 1
#include "marks.h"

#include "interlock.h"

static int evaluated;

static int __attribute__((unused)) evaluate(void) { return ++evaluated; }

int c_production_marks(void) {
  BEGIN_LOCK(LOCK_NO_READWRITE, "production.%d", evaluate());
  BEGIN_SYNCHED_LOCK(LOCK_NO_READWRITE, "production.%d", evaluate());
  END_LOCK(LOCK_NO_READWRITE, "production.%d", evaluate());
  return evaluated;
}
