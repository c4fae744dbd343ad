// Data of the executable that shows which types its code uses. In C, because of the layouts of ELF
// and of the Swift runtime's data.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "interlock_code.h"

#if defined(__linux__) && defined(__x86_64__)

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

// The descriptors of captures. The linker defines their bounds if the executable has the section.
extern const char __start_swift5_capture[] __attribute__((weak, visibility("hidden")));
extern const char __stop_swift5_capture[] __attribute__((weak, visibility("hidden")));

enum { segments_most = 8 };
static struct {
  uintptr_t low, size;
} segments[segments_most];
static int segment_count;
/// The descriptor of the type `Synchronization.Atomic`; 0 in a program without that library.
static uintptr_t atomic_type;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int note_segments(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  for (int index = 0; index < info->dlpi_phnum && segment_count < segments_most; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_W)) continue;
    segments[segment_count].low = info->dlpi_addr + header->p_vaddr;
    segments[segment_count++].size = header->p_filesz;
  }
  // The first entry is the executable.
  return 1;
}

static void prepare(void) {
  dl_iterate_phdr(note_segments, NULL);
  atomic_type = (uintptr_t)dlsym(RTLD_DEFAULT, "$s15Synchronization6AtomicVMn");
}

static bool is_data(uintptr_t address, size_t size) {
  if (address % sizeof(uintptr_t) != 0) return false;
  for (int index = 0; index < segment_count; index++) {
    uintptr_t offset = address - segments[index].low;
    if (offset < segments[index].size && size <= segments[index].size - offset) return true;
  }
  return false;
}

/// Reads a distance that is stored in the place from which it counts.
static const char *at_distance(const char *place) {
  int32_t distance;
  memcpy(&distance, place, sizeof distance);
  return place + distance;
}

/// True if the mangled name of a type refers to `Atomic`. A byte below 32 begins a reference: by a
/// distance to a type's descriptor (1) or to a pointer to it (2); from 24 on, by an address.
static bool names_atomic(const char *name) {
  enum { longest = 4096, by_address = 24, end_of_references = 32 };
  for (const char *end = name + longest; *name && name < end;) {
    unsigned char kind = (unsigned char)*name++;
    if (kind >= end_of_references) continue;
    if (kind >= by_address) {
      name += sizeof(uintptr_t);
      continue;
    }
    const char *target = at_distance(name);
    if (kind == 1 && (uintptr_t)target == atomic_type) return true;
    if (kind == 2 && *(const uintptr_t *)target == atomic_type) return true;
    name += sizeof(int32_t);
  }
  return false;
}

bool interlock_code_captures_atomic(uintptr_t data) {
  // The metadata of a box, or of a closure's context: its kind, the offset of the first value, and
  // the descriptor of the captures, which begins with three counts and has a name for each value.
  enum { kind_of_captures = 0x400, counts = 3, values_most = 256 };
  pthread_once(&once, prepare);
  const uintptr_t *metadata = (const uintptr_t *)data;
  if (!atomic_type || !is_data(data, 3 * sizeof *metadata) || metadata[0] != kind_of_captures) {
    return false;
  }
  uintptr_t first = (uintptr_t)__start_swift5_capture, end = (uintptr_t)__stop_swift5_capture;
  if (metadata[2] < first || metadata[2] + counts * sizeof(uint32_t) > end) return false;
  const char *names = (const char *)metadata[2] + counts * sizeof(uint32_t);
  uint32_t count;
  memcpy(&count, (const char *)metadata[2], sizeof count);
  if (count > values_most || (uintptr_t)names + count * sizeof(int32_t) > end) return false;
  for (uint32_t index = 0; index < count; index++) {
    if (names_atomic(at_distance(names + index * sizeof(int32_t)))) return true;
  }
  return false;
}

#else

bool interlock_code_captures_atomic(uintptr_t data) {
  (void)data;
  return false;
}

#endif
