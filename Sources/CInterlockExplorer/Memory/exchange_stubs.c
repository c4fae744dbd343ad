// Lets a weak compare-exchange fail although it finds the expected value. The call returns to a
// copy of the code behind it. The copy compares as that code does, reports that the two values are
// not equal, and continues where the code uses the outcome.
#include "weak_exchanges.h"

#include "interlock_code.h"

#ifdef INTERLOCK_INTERPOSES

#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)

enum { longest_copied = 160, stub_size = 256, most_stubs = 256 };

static struct {
  unsigned char *memory;
  uint32_t count;
} stubs;

static bool make_writable(bool is_writable) {
  int access = is_writable ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
  return mprotect(stubs.memory, stub_size * most_stubs, access) == 0;
}

static bool has_memory(void) {
  if (stubs.memory) return true;
  void *made = mmap(NULL, stub_size * most_stubs, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made != MAP_FAILED) stubs.memory = made;
  return stubs.memory != NULL;
}

static unsigned char *put(unsigned char *at, const void *bytes, size_t size) {
  memcpy(at, bytes, size);
  return at + size;
}

static void write_stub(unsigned char *at, uintptr_t from, uintptr_t reader) {
  static const unsigned char clears_equality[] = {
      0x74, 0x02,                                      // je: what is compared is the value
      0x0f, 0x0b,                                      // ud2
      0x48, 0x8d, 0x64, 0x24, 0x80,                    // lea -128(%rsp), %rsp: the red zone
      0x9c,                                            // pushfq
      0x48, 0x83, 0x24, 0x24, 0xbf,                    // andq $~64, (%rsp)
      0x9d,                                            // popfq
      0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00,  // lea 128(%rsp), %rsp
      0xff, 0x25, 0x00, 0x00, 0x00, 0x00,              // jmp to the address that follows
  };
  at = put(at, (const void *)from, reader - from);
  at = put(at, clears_equality, sizeof clears_equality);
  put(at, &reader, sizeof reader);
}

uintptr_t interlock_make_exchange_stub(uintptr_t returns_to, bool is_wide,
                                       bool *compares_with_zero) {
  interlock_exchange_code code;
  if (!interlock_exchange_code_of(returns_to, is_wide, &code)) return 0;
  if (code.reader - returns_to > longest_copied || stubs.count == most_stubs) return 0;
  if (!has_memory() || !make_writable(true)) return 0;
  unsigned char *stub = stubs.memory + stub_size * stubs.count++;
  write_stub(stub, returns_to, code.reader);
  *compares_with_zero = code.compares_with_zero;
  return make_writable(false) ? (uintptr_t)stub : 0;
}

#else

uintptr_t interlock_make_exchange_stub(uintptr_t returns_to, bool is_wide,
                                       bool *compares_with_zero) {
  (void)returns_to, (void)is_wide, (void)compares_with_zero;
  return 0;
}

#endif
#endif
