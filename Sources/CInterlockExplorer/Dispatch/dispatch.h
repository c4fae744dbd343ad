// The performer of Dispatch's calls. Included by the explorer's files only.
#ifndef INTERLOCK_DISPATCH_DISPATCH_H
#define INTERLOCK_DISPATCH_DISPATCH_H

#include "interlock_dispatch_performer.h"

#ifdef INTERLOCK_INTERPOSES
extern const interlock_dispatch_performer interlock_model_performer HIDDEN;
#endif
#endif
