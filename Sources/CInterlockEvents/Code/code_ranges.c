// Distinguishes the user's code from the code of the system's and the toolchain's libraries.
#include "code_ranges.h"

#include <string.h>

/// True if a library's name, up to the first dot, is `asked`.
static bool is_named(const char *name, const char *asked) {
  size_t length = strlen(asked);
  return strncmp(name, asked, length) == 0 && (name[length] == '.' || name[length] == 0);
}

bool interlock_events_is_system_library(const char *name) {
  // Compare whole names: a user may call a library `libswiftlog`. A library missing here counts as
  // the user's: prediction then sees too many lock orders, never too few.
  static const char *const systems[] = {
      "libc", "libm", "libpthread", "libdl", "librt", "libgcc_s", "libstdc++", "linux-vdso",
      "ld-linux-x86-64", "ld-linux-aarch64", "libBlocksRuntime", "libdispatch", "libswiftCore",
      "libswift_Concurrency", "libswift_StringProcessing", "libswift_RegexParser",
      "libswift_Differentiation", "libswift_Builtin_float", "libswift_Volatile",
      "libswift_Backtracing", "libswiftRuntime", "libswiftRegexBuilder", "libswiftSynchronization",
      "libswiftObservation", "libswiftDistributed", "libswiftDispatch", "libswiftGlibc",
      "libswiftSwiftOnoneSupport", "libswiftRemoteMirror", "libFoundation",
      "libFoundationEssentials", "libFoundationInternationalization", "libFoundationNetworking",
      "libFoundationXML", "lib_FoundationICU", "libTesting", "lib_TestingInterop",
      "lib_Testing_Foundation", "lib_InternalSwiftStaticMirror", "libXCTest"};
  for (size_t index = 0; index < sizeof systems / sizeof *systems; index++) {
    if (is_named(name, systems[index])) return true;
  }
  return false;
}

#ifdef INTERLOCK_INTERPOSES

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak));
#endif

typedef interlock_code_range range;
typedef interlock_code_ranges ranges;

interlock_code_ranges interlock_system_code, interlock_user_code;
static range concurrency_range, testing_range, xctest_range;
range interlock_dispatch_code, interlock_dispatch_overlay_code;
/// Written while other threads read it: a library that a program opens may load Foundation late.
range interlock_foundation_code;
uintptr_t interlock_own_code, interlock_own_code_size;

static bool is_within(range range, uintptr_t address) {
  return address - range.low < range.size;
}

const range *interlock_find_range(const ranges *known, uintptr_t address) {
  for (int index = 0; index < known->count; index++) {
    if (is_within(known->list[index], address)) return &known->list[index];
  }
  return NULL;
}

static void add_range(ranges *known, range code) {
  if (known->count < most_ranges) known->list[known->count++] = code;
}

/// The name of a library without its folder; empty for the executable.
static const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path ? path : "";
}

bool interlock_is_concurrency(uintptr_t address) { return is_within(concurrency_range, address); }

bool interlock_is_xctest(uintptr_t address) { return is_within(xctest_range, address); }
bool interlock_is_testing(uintptr_t address) { return is_within(testing_range, address); }

static void note_foundation(range code) {
  __atomic_store_n(&interlock_foundation_code.low, code.low, __ATOMIC_RELAXED);
  __atomic_store_n(&interlock_foundation_code.size, code.size, __ATOMIC_RELAXED);
}

/// The executable part of a module; the rest may not be mapped.
static range code_of(uintptr_t base, const ElfW(Phdr) *headers, int count) {
  uintptr_t first = UINTPTR_MAX, end = 0;
  for (int index = 0; index < count; index++) {
    const ElfW(Phdr) *header = &headers[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    uintptr_t low = base + header->p_vaddr;
    if (low < first) first = low;
    if (low + header->p_memsz > end) end = low + header->p_memsz;
  }
  return first < end ? (range){first, end - first} : (range){0, 0};
}

static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  range code = code_of(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
  if (code.size == 0) return 0;
  // The executable comes first and has no name.
  if (!interlock_own_code) {
    interlock_own_code = code.low;
    interlock_own_code_size = code.size;
  }
  const char *name = base_name(info->dlpi_name);
  if (is_named(name, "libdispatch")) interlock_dispatch_code = code;
  if (is_named(name, "libswiftDispatch")) interlock_dispatch_overlay_code = code;
  if (is_named(name, "libswift_Concurrency")) concurrency_range = code;
  if (is_named(name, "libFoundation")) note_foundation(code);
  if (is_named(name, "libTesting")) testing_range = code;
  if (is_named(name, "libXCTest")) xctest_range = code;
  bool is_system = interlock_events_is_system_library(name);
  add_range(is_system ? &interlock_system_code : &interlock_user_code, code);
  return 0;
}

/// Classifies code that is in no range, because it was loaded later or the table was full; NULL if
/// there is no code. Takes no loader lock: the calling thread may hold a lock that the loader's
/// owner waits for. Caches nothing: a module loaded later may be closed.
const ranges *interlock_look_up_code(uintptr_t address) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  struct dl_find_object found;
  if (!_dl_find_object || _dl_find_object((void *)address, &found) != 0) return NULL;
  // The module's first page begins with its header, and nearly always has the list of its segments.
  enum { page = 4096 };
  const ElfW(Ehdr) *header = found.dlfo_map_start;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
  if (header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > page) return NULL;
  range code = code_of(found.dlfo_link_map->l_addr,
                       (const void *)((uintptr_t)header + header->e_phoff), header->e_phnum);
  // `follows_call` reads the 8 bytes before the address.
  if (!is_within(code, address) || address < code.low + 8) return NULL;
  const char *name = base_name(found.dlfo_link_map->l_name);
  // Foundation stays loaded, as every Swift library does, even if the library that loaded it is
  // closed.
  if (is_named(name, "libFoundation")) note_foundation(code);
  return interlock_events_is_system_library(name) ? &interlock_system_code : &interlock_user_code;
#else
  (void)address;
  return NULL;
#endif
}

bool interlock_is_own_code(uintptr_t address) {
  return address - interlock_own_code < interlock_own_code_size;
}

bool interlock_is_code(uintptr_t address) {
  return interlock_find_range(&interlock_user_code, address) ||
         interlock_find_range(&interlock_system_code, address) || interlock_look_up_code(address);
}

bool interlock_events_is_concurrency(uintptr_t address) {
  return interlock_is_concurrency(address);
}

bool interlock_events_makes_task(void) { return interlock_marks.makes_task > 0; }

bool interlock_events_is_foundation(uintptr_t address) { return interlock_is_foundation(address); }

__attribute__((constructor(101))) static void prepare(void) { dl_iterate_phdr(note_object, NULL); }

#else

bool interlock_events_is_concurrency(uintptr_t address) {
  (void)address;
  return false;
}

bool interlock_events_makes_task(void) { return false; }

bool interlock_events_is_foundation(uintptr_t address) {
  (void)address;
  return false;
}

#endif
