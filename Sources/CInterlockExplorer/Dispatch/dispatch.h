// Not for users of the target.
#ifndef INTERLOCK_DISPATCH_DISPATCH_H
#define INTERLOCK_DISPATCH_DISPATCH_H

#include "interlock_dispatch_performer.h"

#ifdef INTERLOCK_INTERPOSES
extern const interlock_dispatch_performer interlock_model_performer HIDDEN;
#endif
#endif
