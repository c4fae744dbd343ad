/// Whether the code of this executable synchronises by itself: a `Mutex` without contention, and
/// everything that is built on `Atomic`, is compiled into the code that uses it, and no event tells
/// what it orders.
#ifndef INTERLOCK_CODE_H
#define INTERLOCK_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  INTERLOCK_CODE_PLAIN,
  /// It has an atomic instruction.
  INTERLOCK_CODE_ATOMIC,
  /// It cannot be read: an instruction is not known here, or the executable has no symbols.
  INTERLOCK_CODE_UNREADABLE,
} interlock_code_finding;

/// Reads the machine code of a function from its first byte, up to the first instruction that is no
/// plain one; `at`, where it is not NULL, becomes its offset. In C, because it reads code as bytes.
/// Safe from any thread.
interlock_code_finding interlock_scan_code(const void *code, size_t size, size_t *at);

/// Writes the symbol of the executable's function that an address lies in; false where there is
/// none. Safe from any thread.
bool interlock_code_symbol(uintptr_t address, char *name, size_t capacity);

/// Whether a symbol of the executable, of a function or of data, contains both. Safe from any
/// thread.
bool interlock_code_mentions(const char *part, const char *other);

/// The symbols of the executable's functions, empty for those that are none of a function. Safe
/// from any thread.
size_t interlock_code_symbol_count(void);
const char *interlock_code_symbol_at(size_t index);
/// Reads the machine code of one of them.
interlock_code_finding interlock_scan_symbol(size_t index);

/// Reads every function of the executable whose symbol contains `part`; writes the symbol of the
/// first that is not plain. Not readable where there is none. A millisecond for thousands of
/// functions. Safe from any thread.
interlock_code_finding interlock_scan_functions(const char *part, char *name, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
