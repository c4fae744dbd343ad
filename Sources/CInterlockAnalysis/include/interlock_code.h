/// Finds code of this executable that synchronises without a call. An uncontended `Mutex`, and
/// everything that is built on `Atomic`, is inlined into the code that uses it, and no event shows
/// its orders.
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
  /// The code has an atomic instruction.
  INTERLOCK_CODE_ATOMIC,
  /// The code has an instruction that the scan does not know, or the executable has no symbols.
  INTERLOCK_CODE_UNREADABLE,
} interlock_code_finding;

/// Scans the machine code of a function from its first byte to the first instruction that is not
/// plain. Writes that instruction's offset to `at`, unless `at` is NULL. In C, because it reads
/// code as bytes. Callable from any thread.
interlock_code_finding interlock_scan_code(const void *code, size_t size, size_t *at);

/// Writes the symbol of the executable's function that contains an address; returns false if there
/// is none. Callable from any thread.
bool interlock_code_symbol(uintptr_t address, char *name, size_t capacity);
/// Returns the first address of that function; 0 if there is none.
uintptr_t interlock_code_start(uintptr_t address);

/// A function of the executable: its symbol, its first address, and its size. If the function is
/// global, other files of the program can call it by its name.
typedef struct {
  const char *name;
  uintptr_t start;
  size_t size;
  bool is_global;
} interlock_code_function;
/// Finds the function of a symbol by its index. Returns false if the symbol is not a function's.
/// Callable from any thread.
bool interlock_code_function_at(size_t index, interlock_code_function *function);
/// Finds the function that contains an address. Returns false if there is none. Callable from any
/// thread.
bool interlock_code_function_of(uintptr_t address, interlock_code_function *function);

/// Finds the next direct call in a function's code from `offset` on, and moves `offset` behind it.
/// Writes the return address and the called function. Returns false if there is none, from an
/// unknown instruction on, and on processors other than x86-64. Callable from any thread.
bool interlock_code_next_call(const interlock_code_function *function, size_t *offset,
                              uintptr_t *returns_to, uintptr_t *target);
/// Finds the next reference in a function's code, from `offset` on, to a place outside the
/// function: code that it calls, jumps to or takes the address of, or data of the executable. Moves
/// `offset` behind that instruction. Returns false if there is none, from an unknown instruction
/// on, and on processors other than x86-64. Callable from any thread.
bool interlock_code_next_reference(const interlock_code_function *function, size_t *offset,
                                   uintptr_t *target);
/// True if a function calls another function, or accesses memory that is not on its stack; also if
/// that is not known. Callable from any thread.
bool interlock_code_has_effect(const interlock_code_function *function);
/// True if a function always makes the call that returns to an address, and makes it first, except
/// for `swift_retain`: no instruction before the call jumps, chooses a value, or accesses memory
/// that is not on its stack. False if that is not known, and on processors other than x86-64.
/// Callable from any thread.
bool interlock_code_goes_straight(const interlock_code_function *function, uintptr_t returns_to);

/// The use that an atomic operation makes of a `Mutex` of the standard library.
typedef enum {
  INTERLOCK_MUTEX_NONE,
  INTERLOCK_MUTEX_LOCK,
  INTERLOCK_MUTEX_TRY,
  INTERLOCK_MUTEX_UNLOCK,
} interlock_mutex_use;

/// Returns the use of a `Mutex` by the compare-exchange that ends before `after`: an instruction,
/// or the call that instrumented code makes for it. `NONE` if that is not known, and on processors
/// other than x86-64. Callable from any thread.
interlock_mutex_use interlock_mutex_use_before(uintptr_t after);

/// Defined by the explorer. Called when the calling thread is about to perform the compare-exchange
/// of a mutex's word that ends before `after`. A `use` of `NONE` lets the code there decide.
/// Returns the use once an explored thread may perform it, and the caller then says whether it
/// succeeded; otherwise `NONE`. NULL in a program that does not explore.
interlock_mutex_use interlock_explored_mutex_asks(interlock_mutex_use use, uint32_t *word,
                                                  uintptr_t after) __attribute__((weak));
void interlock_explored_mutex_did(interlock_mutex_use use, uint32_t *word, bool is_done)
    __attribute__((weak));

/// The code behind a call that performs a compare-exchange: the instruction that reads whether the
/// value found is the expected one, and whether the value was compared with 0.
typedef struct {
  uintptr_t reader;
  bool compares_with_zero;
} interlock_exchange_code;

/// Finds that instruction. `is_wide`: the value has two registers. Returns false if the
/// instructions before it do more than move and compare values, if another instruction reads the
/// same comparison, and on processors other than x86-64. Callable from any thread.
bool interlock_exchange_code_of(uintptr_t returns_to, bool is_wide, interlock_exchange_code *code);
/// The same for code whose function is known.
bool interlock_exchange_code_in(const interlock_code_function *function, uintptr_t returns_to,
                                bool is_wide, interlock_exchange_code *code);

/// Returns a number for a call of a function that checks an access of memory, by the call's return
/// address: a hash of the symbol of the calling function, and the number of such calls before it in
/// that function. Other builds have the same number as long as that function stays as it is. 0 if
/// there is no such call or no symbol. Callable from any thread.
uint64_t interlock_access_key(uintptr_t returns_to);
/// Returns the return address with that number; 0 if there is none, or no longer one.
uintptr_t interlock_access_site(uint64_t key);

/// Returns the symbol of the executable's variable that contains an address, valid as long as the
/// process; NULL if there is none. Callable from any thread.
const char *interlock_variable_symbol(uintptr_t address);

/// Returns the next symbol of the executable, of a function or of data, that contains both texts,
/// from `index` on, and moves `index` behind it. NULL if there is none. Callable from any thread.
const char *interlock_code_next_mention(const char *part, const char *other, size_t *index);

/// The executable's symbols; the text is empty for a symbol that is not a function's. Callable from
/// any thread.
size_t interlock_code_symbol_count(void);
const char *interlock_code_symbol_at(size_t index);
/// Finds the symbol of a function or of data that contains an address: its index, and its text.
/// Returns false if there is none. The first call sorts the symbols, which takes tens of
/// milliseconds for a hundred thousand. Callable from any thread.
bool interlock_code_symbol_with(uintptr_t address, size_t *index, const char **name);
/// Returns the symbol of the function of another image to which a stub of the executable jumps.
/// NULL if no stub is at the address, which must be one that a function calls, and on processors
/// other than x86-64. Callable from any thread.
const char *interlock_code_import_at(uintptr_t target);
/// Returns the address of a symbol of the executable, of a function or of data, by its index; 0 if
/// it has none. Callable from any thread.
uintptr_t interlock_code_address_of(size_t index);
/// Writes the addresses of the executable's slots for those symbols of other images whose names
/// contain both texts. Returns their number, which may exceed `capacity`; 0 on processors other
/// than x86-64. Callable from any thread.
size_t interlock_code_import_slots(const char *part, const char *other, uintptr_t *slots,
                                   size_t capacity);
/// True if data of the executable is the metadata of a box, or of a closure's context, that
/// contains a `Synchronization.Atomic`: code that makes such a box refers to it. False on
/// processors other than x86-64. Callable from any thread.
bool interlock_code_captures_atomic(uintptr_t data);
/// Scans the function of one of these symbols.
interlock_code_finding interlock_scan_symbol(size_t index);
/// Like `interlock_scan_symbol`, for an explored body, where a `Mutex` is controlled. Writes the
/// address of the first instruction that is not plain.
interlock_code_finding interlock_locate_uncontrolled(size_t index, uintptr_t *address);

/// Scans every function of the executable whose symbol contains `part`, and writes the symbol of
/// the first that is not plain. Returns `UNREADABLE` if there is no such function. Takes a
/// millisecond for thousands of functions. Callable from any thread.
interlock_code_finding interlock_scan_functions(const char *part, char *name, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
