// The objects of an execution by address, with numbers by first use; and memory that lasts for one
// execution.
#include "engine.h"

#ifdef INTERLOCK_INTERPOSES

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A hash table by address. An entry of an earlier execution counts as free, so that the table need
/// not be emptied.
static interlock_object **table;
static size_t table_size, used;
/// The entries of this execution, in the order of their first use; at most half the table's size.
static interlock_object **in_use;
/// The objects that were numbered on first use and that end with their memory.
static INTERLOCK_LIST(interlock_object *) first_used;
/// Copies of the objects that have ended with their memory, for the description.
static INTERLOCK_LIST(interlock_object) ended;
/// A block of execution memory, kept for the next execution.
typedef struct block {
  struct block *next;
  size_t size;
  _Alignas(16) char bytes[];
} block;
static block *first_block, *current_block;
static size_t block_used;
static void (*begin_functions[16])(void);
static int begin_count;

void *interlock_execution_memory(size_t size) {
  size = (size + 15) & ~(size_t)15;
  while (!current_block || block_used + size > current_block->size) {
    if (current_block && current_block->next) {
      current_block = current_block->next;
      block_used = 0;
      continue;
    }
    enum { usual = 1 << 16 };
    size_t room = size > usual ? size : usual;
    block *made = malloc(sizeof *made + room);
    if (!made) {
      size_t none = SIZE_MAX / 4;
      interlock_grow(NULL, &none, 1);
    }
    made->next = NULL;
    made->size = room;
    if (current_block) {
      current_block->next = made;
    } else {
      first_block = made;
    }
    current_block = made;
    block_used = 0;
  }
  void *memory = current_block->bytes + block_used;
  block_used += size;
  memset(memory, 0, size);
  return memory;
}

void interlock_memory_reset(void) {
  current_block = first_block;
  block_used = 0;
}

static size_t slot_of(uintptr_t address, size_t size) {
  return (size_t)((address >> 3) * 0x9e3779b97f4a7c15ull >> 32) & (size - 1);
}

static void grow_table(void) {
  size_t size = table_size ? table_size * 2 : 1024;
  interlock_object **larger = calloc(size, sizeof *larger);
  interlock_object **room = realloc(in_use, size / 2 * sizeof *room);
  if (!larger || !room) {
    size_t none = SIZE_MAX / 4;
    interlock_grow(NULL, &none, 1);
  }
  for (size_t index = 0; index < table_size; index++) {
    interlock_object *object = table[index];
    if (!object || object->execution != interlock_the_engine.execution) {
      free(object);
      continue;
    }
    size_t slot = slot_of(object->address, size);
    while (larger[slot]) slot = (slot + 1) & (size - 1);
    larger[slot] = object;
  }
  free(table);
  in_use = room;
  table = larger;
  table_size = size;
}

uint32_t interlock_object_number(void) { return interlock_the_engine.next_object++; }

/// Returns the entry of an address, and adds it without a number if there is none.
static interlock_object *entry_at(const void *address) {
  if (used * 2 >= table_size) grow_table();
  uintptr_t key = (uintptr_t)address;
  uint64_t execution = interlock_the_engine.execution;
  size_t slot = slot_of(key, table_size);
  for (;; slot = (slot + 1) & (table_size - 1)) {
    interlock_object *object = table[slot];
    if (!object) {
      // Not execution memory, because the table still refers to the entry in the next execution.
      object = malloc(sizeof *object);
      if (!object) {
        size_t none = SIZE_MAX / 4;
        interlock_grow(NULL, &none, 1);
      }
      table[slot] = object;
    } else if (object->execution == execution) {
      if (object->address == key) return object;
      continue;
    }
    *object = (interlock_object){.address = key, .execution = execution};
    in_use[used++] = object;
    return object;
  }
}

interlock_object *interlock_object_at(const void *address) {
  interlock_object *object = entry_at(address);
  if (object->number == 0) object->number = interlock_object_number();
  return object;
}

interlock_object *interlock_object_known(const void *address) {
  if (table_size == 0) return NULL;
  uintptr_t key = (uintptr_t)address;
  for (size_t slot = slot_of(key, table_size);; slot = (slot + 1) & (table_size - 1)) {
    interlock_object *object = table[slot];
    // An entry of an earlier execution is free and ends the search, as an empty slot does.
    if (!object || object->execution != interlock_the_engine.execution) return NULL;
    if (object->address == key) return object;
  }
}

bool interlock_explored_knows(uintptr_t address) {
  return interlock_object_known((const void *)address) != NULL;
}

uint32_t interlock_explored_number(uintptr_t address) {
  const interlock_object *object = interlock_object_known((const void *)address);
  return object ? object->number : 0;
}

static void end_with_memory(interlock_object *object) {
  if (object->in_memory) return;
  INTERLOCK_PUSH(&first_used, object);
  object->in_memory = (uint32_t)first_used.count;
}

interlock_object *interlock_object_for(const void *address, uintptr_t returns_to) {
  interlock_object *object = entry_at(address);
  if (object->number == 0) {
    object->number = interlock_is_choice(returns_to) ? interlock_object_number()
                                                     : interlock_the_engine.next_library_object++;
    end_with_memory(object);
  }
  return object;
}

interlock_object *interlock_object_in_memory(const void *address) {
  interlock_object *object = entry_at(address);
  if (object->number == 0) {
    object->number = interlock_object_number();
    end_with_memory(object);
  }
  return object;
}

/// The entry stays in the table, as for a new object that a call makes at the same address.
static void begin_anew(interlock_object *object) {
  *object = (interlock_object){.address = object->address,
                               .execution = interlock_the_engine.execution,
                               .in_memory = object->in_memory};
}

static void end(interlock_object *object) {
  if (object->number && (object->made_at || object->name)) INTERLOCK_PUSH(&ended, *object);
  interlock_object *last = first_used.items[--first_used.count];
  first_used.items[object->in_memory - 1] = last;
  last->in_memory = object->in_memory;
  object->in_memory = 0;
  begin_anew(object);
}

void interlock_objects_freed(uintptr_t block, size_t size) {
  // Look at the fewer ones: the objects, or the block's addresses.
  if (first_used.count > size) {
    for (uintptr_t address = block; address - block < size; address++) {
      interlock_object *object = interlock_object_known((void *)address);
      if (object && object->in_memory) end(object);
    }
    return;
  }
  for (size_t index = first_used.count; index-- > 0;) {
    interlock_object *object = first_used.items[index];
    if (object->address - block < size) end(object);
  }
}

void interlock_object_forget(const void *address) {
  interlock_object *object = entry_at(address);
  begin_anew(object);
  if (interlock_the_engine.options.follows_callers) object->made_at = interlock_call_stack(0);
}

interlock_object *interlock_object_anew(const void *address) {
  interlock_object_forget(address);
  return interlock_object_at(address);
}

static void describe(const interlock_object *object, interlock_exploration_result *result,
                     interlock_result_details *details) {
  if (!object->number || (!object->made_at && !object->name)) return;
  if (result->named_count == INTERLOCK_NAMED_MOST) return;
  interlock_named_object *named = &details->named[result->named_count++];
  *named = (interlock_named_object){.number = object->number, .made_at = object->made_at};
  if (object->name) snprintf(named->name, sizeof named->name, "%s", object->name);
}

void interlock_objects_describe(interlock_exploration_result *result,
                                interlock_result_details *details) {
  for (size_t index = 0; index < used; index++) describe(in_use[index], result, details);
  for (size_t index = 0; index < ended.count; index++) {
    describe(&ended.items[index], result, details);
  }
}

void interlock_objects_give_back(void) {
  for (size_t index = 0; index < used; index++) {
    if (in_use[index]->give_back) in_use[index]->give_back(in_use[index]);
  }
}

void interlock_objects_reset(void) { used = first_used.count = ended.count = 0; }

void interlock_at_execution_begin(void (*function)(void)) {
  for (int index = 0; index < begin_count; index++) {
    if (begin_functions[index] == function) return;
  }
  if (begin_count < (int)(sizeof begin_functions / sizeof *begin_functions)) {
    begin_functions[begin_count++] = function;
  }
}

void interlock_run_begin_functions(void) {
  for (int index = 0; index < begin_count; index++) begin_functions[index]();
}

#else

bool interlock_explored_knows(uintptr_t address) {
  (void)address;
  return false;
}

uint32_t interlock_explored_number(uintptr_t address) {
  (void)address;
  return 0;
}

#endif
