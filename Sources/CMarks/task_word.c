// Finds the unnamed word of thread-local storage in which the Swift runtime keeps a thread's
// current task, from the machine code of `swift_task_getCurrent`. A call of that function takes as
// long as locking a free mutex, and the beginning and the end of each section need the task. In C
// because of the linker's thread-local storage.
#include "interlock_runtime.h"

/// A value that is neither a task's address nor 0.
const uintptr_t interlock_unknown_task = 3;

#if defined(__linux__) && defined(__x86_64__)

#include <string.h>

/// The linker's record of a thread-local variable: a module's number, and an offset in that
/// module's thread-local storage.
typedef struct {
  uintptr_t module, offset;
} tls_index;
extern void *__tls_get_addr(tls_index *);

static int32_t read_displacement(const unsigned char *code) {
  int32_t value;
  memcpy(&value, code, sizeof value);
  return value;
}

/// If the code begins with these bytes, moves behind them and returns true.
static _Bool step(const unsigned char **code, const char *bytes, size_t count) {
  if (memcmp(*code, bytes, count)) return 0;
  *code += count;
  return 1;
}

/// True if the code jumps to `target` through a word that the loader has filled in.
static _Bool jumps_to(const unsigned char *code, uintptr_t target) {
  step(&code, "\xf3\x0f\x1e\xfa", 4);  // endbr64
  step(&code, "\xf2", 1);              // bnd
  if (!step(&code, "\xff\x25", 2)) return 0;
  uintptr_t found;
  memcpy(&found, code + 4 + read_displacement(code), sizeof found);
  return found == target;
}

const uintptr_t *interlock_decode_task_word(const void *function) {
  const unsigned char *code = function;
  step(&code, "\xf3\x0f\x1e\xfa", 4);  // endbr64
  // push rbp; mov rbp, rsp
  _Bool has_frame = step(&code, "\x55\x48\x89\xe5", 4);
  step(&code, "\x66", 1);  // data16
  // lea rdi, [rip + …]
  if (!step(&code, "\x48\x8d\x3d", 3)) return &interlock_unknown_task;
  code += 4;
  tls_index *index = (tls_index *)(code + read_displacement(code - 4));
  step(&code, "\x66\x66\x48", 3);  // data16 data16 rex.w
  // call
  if (!step(&code, "\xe8", 1)) return &interlock_unknown_task;
  code += 4;
  const unsigned char *called = code + read_displacement(code - 4);
  intptr_t displacement = 0;
  if (step(&code, "\x48\x8b\x80", 3)) {  // mov rax, [rax + 32 bits]
    displacement = read_displacement(code);
    code += 4;
  } else if (step(&code, "\x48\x8b\x40", 3)) {  // mov rax, [rax + 8 bits]
    displacement = (signed char)*code++;
  } else if (!step(&code, "\x48\x8b\x00", 3)) {  // mov rax, [rax]
    return &interlock_unknown_task;
  }
  // pop rbp; ret
  if (has_frame && !step(&code, "\x5d", 1)) return &interlock_unknown_task;
  if (*code != 0xc3) return &interlock_unknown_task;
  if (!jumps_to(called, (uintptr_t)__tls_get_addr)) return &interlock_unknown_task;
  return (const uintptr_t *)((char *)__tls_get_addr(index) + displacement);
}

const uintptr_t *interlock_task_word(void) {
  static const uintptr_t no_task = 0;
  if (!swift_task_getCurrent) return &no_task;
  // Call the function before its code is read: the loader resolves a function's own calls when they
  // are first made.
  uintptr_t task = (uintptr_t)swift_task_getCurrent();
  const uintptr_t *word = interlock_decode_task_word((const void *)swift_task_getCurrent);
  return *word == task ? word : &interlock_unknown_task;
}

#else

const uintptr_t *interlock_decode_task_word(const void *function) {
  (void)function;
  return &interlock_unknown_task;
}
const uintptr_t *interlock_task_word(void) { return &interlock_unknown_task; }

#endif
