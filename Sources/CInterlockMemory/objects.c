// The object that an address lies in, for a report. No call shows where objects begin: the words
// before the address are searched for the header of one. What they point to may be anything, so all
// of it is read by the system, which does not trap. In C: Swift does not import these calls.
#include "memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

/// The beginning of a class's metadata, on systems without Objective-C.
typedef struct {
  uintptr_t kind, superclass;
  uint32_t flags, address_point, instance_size;
  uint16_t align_mask, reserved;
  uint32_t class_size, class_address_point;
  uintptr_t descriptor;
} class_metadata;

static bool read_memory(uintptr_t from, void *to, size_t size) {
  struct iovec local = {to, size}, remote = {(void *)from, size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/// Whether the words are the header of an object: a class, and a count of references.
static bool is_header(const uintptr_t *words, class_metadata *class) {
  // The lowest bit says that Swift's own allocator frees the object; the upper two, that the count
  // lies elsewhere.
  bool is_count = (words[1] & 1) || words[1] >> 62 == 3;
  uint32_t descriptor_flags;
  enum { kind_bits = 0x1f, kind_of_class = 16, most_size = 1 << 20 };
  return is_count && words[0] > most_size && words[0] % 8 == 0 &&
         read_memory(words[0], class, sizeof *class) && class->kind == 0 &&
         class->instance_size >= 2 * sizeof(uintptr_t) && class->instance_size < most_size &&
         class->descriptor % 4 == 0 &&
         read_memory(class->descriptor, &descriptor_flags, sizeof descriptor_flags) &&
         (descriptor_flags & kind_bits) == kind_of_class;
}

/// The size of the allocator's block that begins at the address: glibc has it in the word before,
/// with three flags. On a stack, or inside a block, the word is most likely not such a size.
static size_t size_of_block(uintptr_t at) {
  uintptr_t size;
  if (!read_memory(at - sizeof size, &size, sizeof size)) return 0;
  size &= ~(uintptr_t)7;
  return size % 16 == 0 && size >> 40 == 0 ? size - sizeof size : 0;
}

uintptr_t interlock_memory_object(uintptr_t address, const void **metadata) {
  enum { step = 16, most_before = 4096 };
  uintptr_t last = address & -(uintptr_t)step, words[2];
  uintptr_t first = last > most_before ? last - most_before : 0;
  for (uintptr_t at = last; at > first; at -= step) {
    if (!read_memory(at, words, sizeof words)) return 0;
    class_metadata class;
    if (!is_header(words, &class)) continue;
    // Behind its properties an object may have elements.
    size_t size = size_of_block(at);
    if (size < class.instance_size) continue;
    if (address - at >= size) return 0;
    *metadata = (const void *)words[0];
    return at;
  }
  return 0;
}

const char *interlock_memory_image(uintptr_t address, uintptr_t *start) {
  Dl_info info;
  if (!dladdr((const void *)address, &info) || !info.dli_fbase) return NULL;
  *start = (uintptr_t)info.dli_fbase;
  return info.dli_fname;
}

#else
const char *interlock_memory_image(uintptr_t address, uintptr_t *start) {
  (void)address, (void)start;
  return NULL;
}
uintptr_t interlock_memory_object(uintptr_t address, const void **metadata) {
  (void)address, (void)metadata;
  return 0;
}
#endif
