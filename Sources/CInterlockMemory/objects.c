// Finds the object that contains an address, for a report. No call shows where objects begin, so
// the words before the address are searched for the header of an object. They may point anywhere,
// so all memory is read by a system call, which does not trap. In C, because Swift does not import
// these calls.
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

/// True if the words are the header of an object: a class, and a reference count.
static bool is_header(const uintptr_t *words, class_metadata *class) {
  // The lowest bit: Swift's own allocator frees the object. The upper two bits: the count is
  // elsewhere.
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

/// Returns the size of the allocator's block that begins at the address, which glibc keeps in the
/// word before, with three flags. On a stack, or inside a block, that word is most likely no such
/// size.
static size_t size_of_block(uintptr_t at) {
  enum { least = 32 };
  uintptr_t size;
  if (!read_memory(at - sizeof size, &size, sizeof size)) return 0;
  size &= ~(uintptr_t)7;
  return size >= least && size % 16 == 0 && size >> 40 == 0 ? size - sizeof size : 0;
}

uintptr_t interlock_memory_object(uintptr_t address, const void **metadata) {
  enum { step = 16, most_before = 4096 };
  uintptr_t last = address & -(uintptr_t)step, words[2];
  uintptr_t first = last > most_before ? last - most_before : 0;
  for (uintptr_t at = last; at > first; at -= step) {
    if (!read_memory(at, words, sizeof words)) return 0;
    class_metadata class;
    if (!is_header(words, &class)) continue;
    // The object may have elements after its properties.
    size_t size = size_of_block(at);
    if (size < class.instance_size) continue;
    if (address - at >= size) return 0;
    *metadata = (const void *)words[0];
    return at;
  }
  return 0;
}

/// True if an object is alive and has an allocator's block of its own. An object that the compiler
/// has put on a stack, or on a task's stack, begins with one more unowned reference, so that the
/// runtime does not free it. An object with an 'unowned' reference looks the same, so neither
/// counts.
static bool has_own_block(uintptr_t object) {
  // The count is in the second word, or in the third word of a side table that points back to the
  // object.
  enum { words_of_table = 3 };
  uintptr_t count, table[words_of_table];
  if (!read_memory(object + sizeof count, &count, sizeof count)) return false;
  if (count >> 62 == 3) {
    if (!read_memory(count << 2 >> 2 << 3, table, sizeof table) || table[0] != object) return false;
    count = table[2];
  }
  // Bit 0: Swift's allocator frees the object. From bit 1 on: the number of unowned references, one
  // of which stands for all strong ones. Bit 32: the object is being deinitialised.
  const uintptr_t lower = (1ull << 33) - 1;
  return (count & lower) == (1 << 1 | 1);
}

/// True if the property at an offset is a 'let' in the class that declares it.
static bool is_constant(class_metadata class, uintptr_t metadata, size_t offset) {
  class_metadata above;
  while (class.superclass) {
    if (!read_memory(class.superclass, &above, sizeof above)) return false;
    if (offset >= above.instance_size) break;
    metadata = class.superclass;
    class = above;
  }
  // The class's descriptor and its field descriptor refer to others by relative offsets.
  enum { has_resilient_superclass = 1 << 29, fields_at = 4, is_variable = 2 };
  struct {
    uint32_t flags;
    int32_t parent, name, access, fields;
    uint32_t others[4], field_count, offsets_at;
  } descriptor;
  struct {
    int32_t type, superclass;
    uint16_t kind, record_size;
    uint32_t count;
  } fields;
  struct {
    uint32_t flags;
    int32_t type, name;
  } field;
  if (!read_memory(class.descriptor, &descriptor, sizeof descriptor) ||
      (descriptor.flags & has_resilient_superclass) || descriptor.fields == 0) {
    return false;
  }
  uintptr_t records = class.descriptor + fields_at * sizeof(int32_t) + descriptor.fields;
  if (!read_memory(records, &fields, sizeof fields) || fields.count != descriptor.field_count) {
    return false;
  }
  uintptr_t nearest = 0;
  bool is_constant = false;
  for (uint32_t index = 0; index < fields.count; index++) {
    uintptr_t start, record = records + sizeof fields + index * fields.record_size;
    uintptr_t at = metadata + (descriptor.offsets_at + index) * sizeof start;
    if (!read_memory(at, &start, sizeof start) || !read_memory(record, &field, sizeof field)) {
      return false;
    }
    if (start < nearest || start > offset) continue;
    // If several properties without a size share an offset, all must be constant.
    is_constant = !(field.flags & is_variable) && (is_constant || start > nearest);
    nearest = start;
  }
  return is_constant;
}

uintptr_t interlock_memory_block_of_lock(uintptr_t address) {
  // The largest difference between the size of a block of glibc's and the size asked for.
  enum { most_more = 32 };
  const void *metadata;
  class_metadata class;
  uintptr_t object = interlock_memory_object(address, &metadata);
  if (!object || !read_memory((uintptr_t)metadata, &class, sizeof class)) return 0;
  if (size_of_block(object) - class.instance_size >= most_more || !has_own_block(object)) return 0;
  return is_constant(class, (uintptr_t)metadata, address - object) ? object : 0;
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
