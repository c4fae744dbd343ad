// Compare-exchanges that may fail by themselves: see weak_exchanges.c.
#ifndef INTERLOCK_WEAK_EXCHANGES_H
#define INTERLOCK_WEAK_EXCHANGES_H

#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

/// Makes the table of call sites, before the first child process.
void interlock_share_exchanges(void) HIDDEN;
/// Makes a copy of the code behind the call of a compare-exchange that lets it fail: see
/// exchange_stubs.c. Returns 0 if that cannot be, else where the call shall return to. While no
/// thread is explored.
uintptr_t interlock_make_exchange_stub(uintptr_t returns_to, bool is_wide,
                                       bool *compares_with_zero) HIDDEN;
/// True if the caller of an exploration has to say the kind of a call site.
bool interlock_has_unknown_exchanges(void) HIDDEN;

#endif
#endif
