// The call stacks of accesses, as nodes of one tree: a node is a call site under its caller's node,
// so a number of 22 bits stands for a whole stack. Nodes are made once and never change.
#include "../memory_thread.h"

#ifdef INTERLOCK_INTERPOSES

#include <sys/mman.h>

enum {
  most_nodes = 1 << place_bits,
  list_count = most_nodes * 2,
  node_mask = most_nodes - 1,
  most_probes = 64,
};
stack_node *interlock_stack_nodes;
/// A hash table of the numbers of nodes, with linear probing.
static uint32_t *numbers;
static uint32_t used = 1;

bool interlock_memory_stacks_prepare(void) {
  const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *one = mmap(NULL, most_nodes * sizeof(stack_node), PROT_READ | PROT_WRITE, kind, -1, 0);
  void *other = mmap(NULL, list_count * sizeof *numbers, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (one == MAP_FAILED || other == MAP_FAILED) return false;
  interlock_stack_nodes = one;
  numbers = other;
  return true;
}

static inline uint64_t hash_of(uint32_t above, uintptr_t place) {
  uint64_t mixed = (place ^ (uint64_t)above << 40) * 0x9e3779b97f4a7c15ull;
  return (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
}

static inline bool is_node(uint32_t number, uint32_t above, uintptr_t place) {
  const stack_node *at = &interlock_stack_nodes[number];
  // Acquire: pairs with the release in `make`.
  return __atomic_load_n(&at->is_whole, __ATOMIC_ACQUIRE) && at->above == above &&
         at->place == place;
}

/// Takes a new number; 0 if all are taken.
static uint32_t make(uint32_t above, uintptr_t place) {
  // Relaxed: the numbers must only differ.
  if (__atomic_load_n(&used, __ATOMIC_RELAXED) >= most_nodes) return 0;
  uint32_t number = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
  if (number >= most_nodes) return 0;
  stack_node *made = &interlock_stack_nodes[number];
  made->place = place;
  made->above = above;
  // Release: pairs with the acquire in `is_node`.
  __atomic_store_n(&made->is_whole, 1, __ATOMIC_RELEASE);
  return number;
}

static uint32_t find_or_make(uint32_t above, uintptr_t place) {
  uint64_t at = hash_of(above, place);
  uint32_t made = 0;
  for (int probe = 0; probe < most_probes; probe++, at++) {
    uint32_t *list = &numbers[at & (list_count - 1)];
    uint32_t number = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    if (!number) {
      if (!made && !(made = make(above, place))) return 0;
      // Release: pairs with the acquire loads of the table above.
      if (__atomic_compare_exchange_n(list, &number, made, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        return made;
      }
    }
    if (is_node(number, above, place)) return number;
  }
  return 0;
}

static inline uint32_t node_of(memory_thread *own, uint32_t above, uintptr_t place) {
  uint64_t mixed = (place ^ (uint64_t)above << 20) * 0x9e3779b97f4a7c15ull;
  known_place *known = &own->known[mixed >> 54];
  _Static_assert(cached_places == 1024, "the shift above");
  if (known->place == place && known->above == above) return known->node;
  uint32_t node = find_or_make(above, place);
  if (node) *known = (known_place){place, above, node};
  return node;
}

/// Returns the node of the thread's innermost call.
static inline uint32_t node_of_calls(memory_thread *own) {
  uint32_t depth = own->depth < most_frames ? own->depth : most_frames;
  for (; own->linked < depth; own->linked++) {
    memory_frame *frame = &own->frames[own->linked];
    uint32_t above = own->linked > 0 ? frame[-1].node : 0;
    if (frame->node && frame->above == above) continue;
    frame->above = above;
    frame->node = node_of(own, above, frame->returns_to);
  }
  return depth > 0 ? own->frames[depth - 1].node : 0;
}

uint32_t interlock_memory_place(memory_thread *own, uintptr_t place) {
  uint32_t node = node_of(own, node_of_calls(own), place);
  return node | (uint32_t)(own->slot >> slot_shift) << place_bits;
}

uint32_t interlock_memory_stack(uint32_t place, uintptr_t *frames, uint32_t capacity) {
  uint32_t count = 0;
  for (uint32_t number = place & node_mask; number && count < capacity;
       number = interlock_stack_nodes[number].above) {
    frames[count++] = interlock_stack_nodes[number].place;
  }
  return count;
}

#endif
