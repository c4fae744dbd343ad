// `Mutex` of the standard library, as one lock. An explored thread takes the mutex's word once the
// strategy has chosen the thread and the word is free. So no thread reaches the slow path, and the
// format of the word does not matter.
#include "calls.h"
#include "swift_mutexes.h"

#ifdef INTERLOCK_INTERPOSES

#include "../Threads/stacks.h"

static void publish(interlock_event_kind kind, const uint32_t *word, uintptr_t place) {
  interlock_event event = {.kind = kind,
                           .object_kind = INTERLOCK_OBJECT_OWNED_FUTEX,
                           .object = word,
                           .place = place,
                           .frame = (uintptr_t)__builtin_frame_address(0)};
  interlock_events_publish(&event);
}

/// The readiness of a lock. The holder of the mutex is ready: its relock traps.
static bool is_free(interlock_logical_thread *thread, void *context) {
  const uint32_t *word = context;
  if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0) return true;
  const interlock_object *object = interlock_object_known(word);
  if (object && object->owner) return object->owner == thread;
  return interlock_is_held_outside(word, interlock_word_owner(word));
}

static void ask_for_lock(uint32_t *word, uint32_t number, interlock_site site) {
  interlock_operation operation = interlock_operation_of(INTERLOCK_OPERATION_LOCK, number, 0);
  interlock_ask(operation, is_free, word, site.returns_to, site.place);
  const interlock_object *object = interlock_object_known(word);
  while (__atomic_load_n(word, __ATOMIC_RELAXED) != 0 && !(object && object->owner)) {
    if (interlock_wait_for_outside(word, interlock_word_owner)) continue;
    interlock_wait(operation, is_free, word, site.place);
  }
}

/// Finds the use of a mutex from the code before an address. Results are kept by address, because a
/// look at the code costs much more than the exchange.
static interlock_mutex_use use_before(uintptr_t after) {
  static struct {
    uintptr_t after;
    interlock_mutex_use use;
  } known[1024];
  size_t slot = (size_t)(after * 0x9e3779b97f4a7c15ull >> 54);
  if (known[slot].after != after) {
    interlock_marks.hidden++;
    known[slot].use = interlock_mutex_use_before(after);
    interlock_marks.hidden--;
    known[slot].after = after;
  }
  return known[slot].use;
}

interlock_mutex_use interlock_explored_mutex_asks(interlock_mutex_use use, uint32_t *word,
                                                  uintptr_t place) {
  if (!interlock_is_controlled()) return INTERLOCK_MUTEX_NONE;
  if (use == INTERLOCK_MUTEX_NONE) use = use_before(place);
  if (use == INTERLOCK_MUTEX_NONE) return use;
  interlock_site site = {place, place};
  interlock_object *object = interlock_object_for(word, place);
  switch (use) {
    case INTERLOCK_MUTEX_LOCK:
      if (object->value == INTERLOCK_MUTEX_IS_TAKEN_BY_SECTION) {
        object->value = 0;
        return INTERLOCK_MUTEX_NONE;
      }
      publish(INTERLOCK_EVENT_WAIT, word, place);
      ask_for_lock(word, object->number, site);
      break;
    case INTERLOCK_MUTEX_TRY:
      interlock_note_try();
      interlock_ask(interlock_operation_of(INTERLOCK_OPERATION_TRY_LOCK, object->number, 0), NULL,
                    NULL, site.returns_to, site.place);
      break;
    default:
      if (object->owner != interlock_current_thread()) return INTERLOCK_MUTEX_NONE;
      interlock_release(interlock_operation_of(INTERLOCK_OPERATION_UNLOCK, object->number, 0),
                        site.returns_to, site.place);
      break;
  }
  return use;
}

void interlock_explored_mutex_did(interlock_mutex_use use, uint32_t *word, bool is_done) {
  interlock_object *object = interlock_object_at(word);
  if (use == INTERLOCK_MUTEX_UNLOCK) {
    object->owner = NULL;
  } else if (is_done) {
    // The object still has an owner, so the last holder's unlock was not an operation: orders were
    // left out.
    if (object->owner) interlock_escaped("a Mutex that unknown code unlocks");
    object->owner = interlock_current_thread();
    object->give_back = interlock_give_back_swift_mutex;
  } else if (use == INTERLOCK_MUTEX_TRY) {
    interlock_turned_out(
        interlock_flagged(interlock_operation_of(INTERLOCK_OPERATION_TRY_LOCK, object->number, 0),
                          INTERLOCK_OPERATION_FAILED));
  }
}

#if defined(__x86_64__)

// Without `-sanitize=thread` the compiler emits no calls for these operations. At process start,
// each instruction that locks or unlocks a mutex is replaced by a jump to a copy of it. On a thread
// that is not explored, the copy runs; on an explored thread, all registers are saved, and
// `interlock_mutex_exchange` does what the instruction does.

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../CInterlockAnalysis/CodeScan/instruction.h"
#include "interlock_registers.h"

enum { jump_length = 5, longest_instruction = 15, copy_size = 96, most_copies = 1 << 14 };

/// The registers of the interrupted code, in descending order of their numbers in instructions; its
/// frame pointer; and the address at which it continues. Its stack pointer lies above the red zone.
typedef struct {
  uint64_t upper[8], rdi, rsi, rbx, rdx, rcx, rax, flags, rbp;
  uintptr_t goes_on_at;
} registers;
enum { red_zone = 128 };

typedef struct {
  /// The end of the instruction, and the address at which its thread continues.
  uintptr_t after, goes_on_at;
  const unsigned char *copy;
  interlock_mutex_use use;
} led_instruction;

/// The replaced instructions, sorted by the addresses behind them. Filled in at process start.
static struct {
  led_instruction *list;
  unsigned char *copies;
  size_t count;
  bool leaves_some_out;
} led;

static uint64_t value_of(const registers *all, unsigned number) {
  switch (number) {
    case 0: return all->rax;
    case 1: return all->rcx;
    case 2: return all->rdx;
    case 3: return all->rbx;
    case 4: return (uint64_t)(uintptr_t)(all + 1) + red_zone;
    case 5: return all->rbp;
    case 6: return all->rsi;
    case 7: return all->rdi;
    default: return all->upper[15 - number];
  }
}

static int32_t distance_at(const unsigned char *at) {
  int32_t distance;
  memcpy(&distance, at, sizeof distance);
  return distance;
}

/// The upper bit of a register's number, from the instruction's prefix.
static unsigned upper_bit(const interlock_instruction *instruction, unsigned bit) {
  unsigned char prefix = instruction->code[1];
  return (prefix & 0xf0) == 0x40 && (prefix & bit) ? 8 : 0;
}

/// The address of the instruction's operand in memory.
static uintptr_t operand(const registers *all, const interlock_instruction *instruction) {
  enum { of_base = 1, of_index = 2 };
  const unsigned char *at = instruction->modrm;
  unsigned mode = *at >> 6, base = *at & 7;
  at++;
  if (mode == 0 && base == 5) {
    return (uintptr_t)instruction->code + instruction->length +
           (uintptr_t)(intptr_t)distance_at(at);
  }
  uint64_t address = 0;
  bool has_base = true;
  if (base == 4) {
    unsigned index = (*at >> 3 & 7) | upper_bit(instruction, of_index), scale = *at >> 6;
    base = *at++ & 7;
    has_base = mode != 0 || base != 5;
    if (index != 4) address += value_of(all, index) << scale;
  }
  if (has_base) address += value_of(all, base | upper_bit(instruction, of_base));
  if (mode == 1) address += (uint64_t)(int64_t)(int8_t)*at;
  if (mode == 2 || !has_base) address += (uint64_t)(int64_t)distance_at(at);
  return address;
}

/// The flags that a comparison of `one` and `other` leaves.
static uint64_t flags_of(uint64_t before, uint32_t one, uint32_t other) {
  enum { carry = 1, parity = 4, auxiliary = 16, zero = 64, sign = 128, overflow = 2048 };
  uint32_t difference = one - other;
  uint64_t flags = before & ~(uint64_t)(carry | parity | auxiliary | zero | sign | overflow);
  if (one < other) flags |= carry;
  if (!__builtin_parity(difference & 0xff)) flags |= parity;
  if ((one ^ other ^ difference) & 16) flags |= auxiliary;
  if (difference == 0) flags |= zero;
  if (difference >> 31) flags |= sign;
  if (((one ^ other) & (one ^ difference)) >> 31) flags |= overflow;
  return flags;
}

static const led_instruction *instruction_before(uintptr_t after) {
  size_t first = 0, end = led.count;
  while (end - first > 1) {
    size_t middle = first + (end - first) / 2;
    if (led.list[middle].after <= after) {
      first = middle;
    } else {
      end = middle;
    }
  }
  return &led.list[first];
}

void interlock_mutex_exchange(registers *all) HIDDEN;
__attribute__((used)) void interlock_mutex_exchange(registers *all) {
  enum { of_source = 4 };
  uintptr_t place = all->goes_on_at;
  const led_instruction *from = instruction_before(place);
  interlock_instruction instruction = interlock_decode(from->copy, longest_instruction);
  uint32_t *word = (uint32_t *)operand(all, &instruction);
  unsigned source = (*instruction.modrm >> 3 & 7) | upper_bit(&instruction, of_source);
  uint32_t expected = (uint32_t)all->rax, found = expected;
  uint32_t desired = (uint32_t)value_of(all, source);
  bool is_explored = interlock_explored_mutex_asks(from->use, word, place);
  if (is_explored && from->use == INTERLOCK_MUTEX_UNLOCK) {
    publish(INTERLOCK_EVENT_RELEASE, word, place);
  }
  // A full barrier, like the instruction.
  bool is_done = __atomic_compare_exchange_n(word, &found, desired, false, __ATOMIC_SEQ_CST,
                                             __ATOMIC_SEQ_CST);
  if (is_explored) {
    interlock_explored_mutex_did(from->use, word, is_done);
    if (is_done && from->use != INTERLOCK_MUTEX_UNLOCK) {
      publish(INTERLOCK_EVENT_ACQUIRE, word, place);
    }
  }
  all->flags = flags_of(all->flags, expected, found);
  if (!is_done) all->rax = found;
  all->goes_on_at = from->goes_on_at;
}

__attribute__((naked)) static void exchange(void) {
  __asm__(
      "push %rbp\n"
      ".cfi_def_cfa_offset 16\n"
      ".cfi_offset %rbp, -16\n"
      "mov %rsp, %rbp\n"
      ".cfi_def_cfa_register %rbp\n"
      "pushfq\n"
      "push %rax\n"
      "push %rcx\n"
      "push %rdx\n"
      "push %rbx\n"
      "push %rsi\n"
      "push %rdi\n"
      "push %r8\n"
      "push %r9\n"
      "push %r10\n"
      "push %r11\n"
      "push %r12\n"
      "push %r13\n"
      "push %r14\n"
      "push %r15\n"
      "mov %rsp, %rdi\n"
      INTERLOCK_KEEP_VECTORS
      "call interlock_mutex_exchange\n"
      INTERLOCK_RESTORE_VECTORS
      "lea -120(%rbp), %rsp\n"
      "pop %r15\n"
      "pop %r14\n"
      "pop %r13\n"
      "pop %r12\n"
      "pop %r11\n"
      "pop %r10\n"
      "pop %r9\n"
      "pop %r8\n"
      "pop %rdi\n"
      "pop %rsi\n"
      "pop %rbx\n"
      "pop %rdx\n"
      "pop %rcx\n"
      "pop %rax\n"
      "popfq\n"
      "pop %rbp\n"
      ".cfi_def_cfa %rsp, 8\n"
      // Returns to behind the red zone.
      "ret $128\n");
}

/// Writes code into a copy.
typedef struct {
  unsigned char *at;
  bool is_out_of_reach;
} writer;

static void put(writer *to, const void *bytes, size_t size) {
  memcpy(to->at, bytes, size);
  to->at += size;
}
#define PUT(to, ...)                                     \
  do {                                                   \
    const unsigned char bytes_[] = {__VA_ARGS__};        \
    put(to, bytes_, sizeof bytes_);                      \
  } while (0)

static void put_number(writer *to, intptr_t number) {
  int32_t half = (int32_t)number;
  if (half != number) to->is_out_of_reach = true;
  put(to, &half, sizeof half);
}
/// Writes the distance from the end of an instruction to an address, which is the instruction's
/// last part.
static void put_distance(writer *to, uintptr_t address) {
  put_number(to, (intptr_t)(address - ((uintptr_t)to->at + sizeof(int32_t))));
}

static void put_copy(writer *to, const interlock_instruction *from) {
  unsigned char *copy = to->at;
  put(to, from->code, from->length);
  if ((from->modrm[0] & 0xc7) != 5) return;
  uintptr_t address =
      (uintptr_t)from->code + from->length + (uintptr_t)(intptr_t)distance_at(from->modrm + 1);
  to->at = copy + (from->modrm + 1 - from->code);
  put_distance(to, address);
}

/// Copies an instruction other than the exchange. Returns false if the instruction cannot be moved.
static bool put_moved(writer *to, const interlock_instruction *from) {
  uintptr_t target;
  bool is_conditional;
  if (interlock_jump_of(from, &target, &is_conditional)) {
    if ((*from->code & 0xf0) == 0x70) {
      PUT(to, 0x0f, (unsigned char)(0x80 | (*from->code & 0x0f)));
    } else if (*from->code == 0x0f && (from->code[1] & 0xf0) == 0x80) {
      PUT(to, 0x0f, from->code[1]);
    } else if (*from->code == 0xeb || *from->code == 0xe9) {
      PUT(to, 0xe9);
    } else {
      return false;
    }
    put_distance(to, target);
    return true;
  }
  bool is_relative = from->modrm && (from->modrm[0] & 0xc7) == 5;
  if (from->length == 0 || from->calls || from->goes_far) return false;
  if (is_relative) {
    // The distance must be the last part of the instruction.
    if (from->modrm + 1 + sizeof(int32_t) != from->code + from->length) return false;
    unsigned char *copy = to->at;
    put_copy(to, from);
    to->at = copy + from->length;
    return true;
  }
  if (*from->code == 0xc3 || *from->code == 0xcc) return false;
  put(to, from->code, from->length);
  return true;
}

/// True if the memory operand has an index, as the address of a table's element has.
static bool has_index(const unsigned char *modrm) {
  enum { only_stack_pointer = 0x24 };
  return (*modrm >> 6) != 3 && (*modrm & 7) == 4 && modrm[1] != only_stack_pointer;
}

/// True if the function's code shows no jump to between two addresses. A case of a switch never
/// begins with an instruction that needs the flags of the instruction before.
static bool is_never_entered(const interlock_code_function *function, uintptr_t after,
                             uintptr_t end, bool needs_flags) {
  enum { extending_move = 0x63 };
  bool jumps_far = false, reads_table = false;
  for (size_t offset = 0; offset < function->size;) {
    const unsigned char *code = (const unsigned char *)function->start + offset;
    interlock_instruction next = interlock_decode(code, function->size - offset);
    if (next.length == 0) return false;
    uintptr_t target;
    bool is_conditional;
    if (interlock_jump_of(&next, &target, &is_conditional) && target >= after && target < end) {
      return false;
    }
    if (next.modrm) {
      // A jump through a register: the end of an asynchronous function, or a switch that reads a
      // 32-bit distance from a table.
      if (next.calls && (next.modrm[0] >> 3 & 7) == 4) {
        if (has_index(next.modrm)) reads_table = true;
        jumps_far = true;
      }
      if (next.modrm[-1] == extending_move && has_index(next.modrm)) reads_table = true;
    }
    offset += next.length;
  }
  return needs_flags || !(jumps_far && reads_table);
}

/// Replaces bytes of code. No thread may run that code yet.
static bool replace(const unsigned char *code, const unsigned char *bytes, size_t size) {
  uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t page = (uintptr_t)code & ~(page_size - 1);
  size_t length = (uintptr_t)code + size - page;
  if (mprotect((void *)page, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  memcpy((void *)(uintptr_t)code, bytes, size);
  return mprotect((void *)page, length, PROT_READ | PROT_EXEC) == 0;
}

/// Replaces one instruction by a jump to its copy. Returns false if that is not possible.
static bool lead(const interlock_code_function *function, const interlock_instruction *instruction,
                 interlock_mutex_use use) {
  if (led.count == most_copies) return false;
  const unsigned char *code = instruction->code, *end = code + instruction->length;
  uintptr_t after = (uintptr_t)end;
  unsigned char *copy = led.copies + led.count * copy_size;
  writer to = {copy, false};
  // cmpl $0, %fs:…, the mark of an explored thread; jne to the code behind the copy.
  PUT(&to, 0x64, 0x83, 0x3c, 0x25);
  put_number(&to, (intptr_t)&interlock_marks.controlled - (intptr_t)__builtin_thread_pointer());
  PUT(&to, 0x00, 0x75, 0x00);
  unsigned char *copied = to.at;
  put_copy(&to, instruction);
  uintptr_t goes_on_at = after;
  if (instruction->length < jump_length) {
    goes_on_at = (uintptr_t)to.at;
    size_t left = function->start + function->size - after;
    interlock_instruction next = interlock_decode(end, left);
    end += next.length;
    uintptr_t target;
    bool is_conditional = false;
    if (!put_moved(&to, &next) || end - code < jump_length) return false;
    interlock_jump_of(&next, &target, &is_conditional);
    if (!is_never_entered(function, after, (uintptr_t)end, is_conditional)) {
      return false;
    }
  }
  PUT(&to, 0xe9);
  put_distance(&to, (uintptr_t)end);
  copied[-1] = (unsigned char)(to.at - copied);
  // lea -128(%rsp), %rsp; push …(%rip), the address behind the instruction; jmp exchange.
  PUT(&to, 0x48, 0x8d, 0x64, 0x24, 0x80, 0xff, 0x35);
  put_number(&to, jump_length);
  PUT(&to, 0xe9);
  put_distance(&to, (uintptr_t)exchange);
  put(&to, &after, sizeof after);
  // Write a jump to the copy, and fill the rest up to the next instruction with nops.
  unsigned char bytes[2 * longest_instruction];
  memset(bytes, 0x90, sizeof bytes);
  writer jump = {bytes, false};
  PUT(&jump, 0xe9);
  put_number(&jump, (intptr_t)((uintptr_t)copy - ((uintptr_t)code + jump_length)));
  if (to.is_out_of_reach || jump.is_out_of_reach) return false;
  if (!replace(code, bytes, (size_t)(end - code))) return false;
  led.list[led.count++] = (led_instruction){after, goes_on_at, copied, use};
  return true;
}

static void found(const interlock_code_function *function, const interlock_instruction *exchange,
                  interlock_mutex_use use) {
  if (!led.copies || !lead(function, exchange, use)) led.leaves_some_out = true;
}

/// Allocates memory within jump distance of the executable's code; NULL if there is none.
static void *memory_near_code(size_t size) {
  enum { steps = 64, step = 16 << 20 };
  for (uintptr_t index = 1; index <= steps; index++) {
    uintptr_t at = ((interlock_own_code - index * step) & ~(uintptr_t)0xffff) - size;
    void *found = mmap((void *)at, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return NULL;
    if ((uintptr_t)found == at) return found;
    munmap(found, size);
  }
  return NULL;
}

static int by_address(const void *one, const void *other) {
  uintptr_t a = ((const led_instruction *)one)->after, b = ((const led_instruction *)other)->after;
  return (a > b) - (a < b);
}

// A constructor, so that no thread runs the code yet.
__attribute__((constructor)) static void prepare(void) {
  enum { list_bytes = most_copies * sizeof *led.list, copy_bytes = most_copies * copy_size };
  if (!interlock_has_mutex_code()) return;
  unsigned char *memory =
      interlock_can_keep_vectors() ? memory_near_code(list_bytes + copy_bytes) : NULL;
  led.list = (led_instruction *)memory;
  led.copies = memory ? memory + list_bytes : NULL;
  interlock_find_mutex_instructions(found);
  if (!memory) return;
  qsort(led.list, led.count, sizeof *led.list, by_address);
  mprotect(led.copies, copy_bytes, PROT_READ | PROT_EXEC);
  interlock_led_copies = (uintptr_t)led.copies;
  interlock_led_copies_size = copy_bytes;
}

bool interlock_mutexes_are_led(void) { return !led.leaves_some_out; }

bool interlock_follows_led(uintptr_t address);
bool interlock_follows_led(uintptr_t address) {
  return led.count && instruction_before(address)->after == address;
}

#else

bool interlock_mutexes_are_led(void) { return true; }

#endif
#endif
