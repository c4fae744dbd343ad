// Compare-exchanges that may fail by themselves: see weak_exchanges.c. Included by `Memory/`,
// `Execution/` and `Isolation/` only.
#ifndef INTERLOCK_WEAK_EXCHANGES_H
#define INTERLOCK_WEAK_EXCHANGES_H

#include "../Engine/engine.h"

#ifdef INTERLOCK_INTERPOSES

/// Makes the table of call sites, before the first child process.
void interlock_share_exchanges(void) HIDDEN;
/// Makes a copy of the code behind a compare-exchange's call that lets the exchange fail: see
/// exchange_stubs.c. Returns the address to which the call must return; 0 if no copy can be made.
/// Call it while no thread is explored.
uintptr_t interlock_make_exchange_stub(uintptr_t returns_to, bool is_wide,
                                       bool *compares_with_zero) HIDDEN;
/// True if the caller of an exploration has to find out the kind of a call site.
bool interlock_has_unknown_exchanges(void) HIDDEN;

#endif
#endif
