// The wait table. In C: it is called within every lock of the process, before Swift's runtime may be up, and must
// neither allocate there nor take a lock that is interposed.
#include "interpose.h"
#include "interlock_waits.h"

#ifdef INTERLOCK_INTERPOSES

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// A lock of a few instructions, for lists that change under it. Not a mutex: its calls are ours.
static void take(int *lock) {
  // Acquire and release: what one has changed, the next finds.
  for (int spins = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); spins++) {
    if (spins > 100) sched_yield();
  }
}
static void give(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

// Threads. A record is written by its thread alone, which then raises `sequence`, and read by whoever makes a snapshot.
// One that is read while it is being written shows that afterwards: its number has grown when the snapshot is checked.

typedef struct thread_record {
  interlock_thread_view view;
  /// The mutex given up by a wait for a condition.
  interlock_held put_aside;
  uint32_t used;
  struct thread_record *next;
} thread_record;

static thread_record *all_threads;
static int threads_lock;
static __thread thread_record *own __attribute__((tls_model("initial-exec")));
static pthread_key_t exit_key;
static int started;
static int partial;
static void (*self_told)(const interlock_self_wait *);

static void note_partial(void) { __atomic_store_n(&partial, 1, __ATOMIC_RELAXED); }

static void thread_exits(void *record) {
  thread_record *mine = record;
  own = NULL;
  // Release: who takes the record again sees it as this thread left it.
  __atomic_store_n(&mine->used, 0, __ATOMIC_RELEASE);
}

/// Whether a record is nobody's: given back; or its thread, which is gone, has locked something after that, in the last
/// round of its destructors. Only asked of the system when a new block of records would be needed.
static bool is_free(const thread_record *record, bool asks) {
  if (!__atomic_load_n(&record->used, __ATOMIC_ACQUIRE)) return true;
  uint32_t number = record->view.number;
  return number == interlock_thread_id() ||
         (asks && syscall(SYS_tgkill, getpid(), number, 0) == -1 && errno == ESRCH);
}

static thread_record *find_free_record(void) {
  int error = errno;
  for (int asks = 0; asks < 2; asks++) {
    for (thread_record *record = all_threads; record; record = record->next) {
      if (is_free(record, asks)) {
        errno = error;
        return record;
      }
    }
  }
  errno = error;
  return NULL;
}

static thread_record *claim_record(void) {
  take(&threads_lock);
  thread_record *found = find_free_record();
  if (!found) {
    // Many at a time, from the system: malloc may be what is being called.
    enum { together = 64 };
    size_t bytes = together * sizeof(thread_record);
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      give(&threads_lock);
      note_partial();
      return NULL;
    }
    thread_record *records = memory;
    for (int index = 0; index < together; index++) {
      records[index].next = index + 1 < together ? &records[index + 1] : all_threads;
    }
    // Release: a snapshot walks the list without the lock.
    __atomic_store_n(&all_threads, records, __ATOMIC_RELEASE);
    found = records;
  }
  uint64_t sequence = found->view.sequence;
  memset(&found->view, 0, sizeof found->view);
  found->view.sequence = sequence + 1;
  found->view.number = interlock_thread_id();
  found->view.handle = (uintptr_t)pthread_self();
  __atomic_store_n(&found->used, 1, __ATOMIC_RELEASE);
  give(&threads_lock);
  own = found;
  pthread_setspecific(exit_key, found);
  return found;
}

/// Hidden: the handler of a signal that comes meanwhile would come here too, and wait for its own thread.
static thread_record *make_record(void) {
  interlock_marks.hidden++;
  thread_record *made = claim_record();
  interlock_marks.hidden--;
  return made;
}

static inline thread_record *own_record(void) {
  thread_record *record = own;
  return __builtin_expect(record != NULL, 1) ? record : make_record();
}

static inline void has_changed(thread_record *record) {
  // Release: who sees the number sees all of the change.
  __atomic_store_n(&record->view.sequence, record->view.sequence + 1, __ATOMIC_RELEASE);
}

/// Where the function was called that made a call at `place`, by the frame pointers; 0 where they do not tell. Only what
/// lies in the next pages above is read: those of this thread's stack.
static inline uintptr_t outer_of(uintptr_t frame, uintptr_t place) {
  enum { most_steps = 4, farthest = 2048 };
  for (int step = 0; frame && step < most_steps; step++) {
    const uintptr_t *pair = (const uintptr_t *)frame;
    uintptr_t next = pair[0];
    if (next <= frame || next - frame > farthest || next % sizeof(uintptr_t)) return 0;
    if (pair[1] == place) return ((const uintptr_t *)next)[1];
    frame = next;
  }
  return 0;
}

static inline void hold(thread_record *record, uintptr_t object, uint32_t kind, uintptr_t place,
                        uintptr_t outer) {
  interlock_thread_view *view = &record->view;
  for (uint32_t index = 0; index < view->held_count; index++) {
    if (view->held[index].object == object && kind != INTERLOCK_OBJECT_SEMAPHORE) {
      view->held[index].count++;
      return;
    }
  }
  if (view->held_count == INTERLOCK_HELD_MOST) {
    view->untold++;
    return;
  }
  view->held[view->held_count++] = (interlock_held){object, place, outer, kind, 1};
}

static bool let_go(thread_record *record, uintptr_t object) {
  interlock_thread_view *view = &record->view;
  for (uint32_t index = view->held_count; index-- > 0;) {
    if (view->held[index].object != object) continue;
    if (--view->held[index].count > 0) return true;
    for (uint32_t next = index + 1; next < view->held_count; next++) {
      view->held[next - 1] = view->held[next];
    }
    view->held_count--;
    return true;
  }
  if (view->untold > 0) view->untold--;
  return false;
}

// Semaphores, groups, conditions, continuations: by address, in a table that never forgets. What is made again at an
// address begins anew there.

typedef struct {
  uintptr_t object;
  uint32_t kind;
  uint32_t newest_release, newest_enter;
  int64_t value;
  uintptr_t created;
  uint64_t waits, releases, enters;
  uintptr_t release_places[INTERLOCK_PLACES_MOST];
  uintptr_t enter_places[INTERLOCK_PLACES_MOST];
} object_record;

enum { object_capacity = 1 << 16, object_probes = 64 };
static object_record objects[object_capacity];

static size_t hash(uintptr_t object) {
  return (size_t)((object >> 4) * 0x9e3779b97f4a7c15ull >> 40);
}

/// The object's record; made if asked for. NULL where it has none, or there is no room.
static object_record *find_object(uintptr_t object, uint32_t kind, bool make) {
  size_t first = hash(object);
  for (size_t probe = 0; probe < object_probes; probe++) {
    object_record *record = &objects[(first + probe) & (object_capacity - 1)];
    // Acquire: who finds the object finds its kind.
    uintptr_t found = __atomic_load_n(&record->object, __ATOMIC_ACQUIRE);
    if (found == object) return record;
    if (found) continue;
    if (!make) return NULL;
    if (__atomic_compare_exchange_n(&record->object, &found, object, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      record->kind = kind;
      return record;
    }
    if (found == object) return record;
  }
  return NULL;
}

/// Whether it is a semaphore that begins at 1: used as a lock, so that who has it is known. Others only tell something,
/// and then it is counted how often; of a lock that would make all threads write to one place.
static bool is_lock(const object_record *record) {
  return record->value == 1 && record->created && record->kind == INTERLOCK_OBJECT_SEMAPHORE;
}

static void add_place(uintptr_t *places, uint32_t *newest, uintptr_t place) {
  // Relaxed, and not one step: two that come at once may leave one place. It is a hint for people.
  uint32_t index = __atomic_add_fetch(newest, 1, __ATOMIC_RELAXED) % INTERLOCK_PLACES_MOST;
  __atomic_store_n(&places[index], place, __ATOMIC_RELAXED);
}

static void object_made(const interlock_event *event) {
  object_record *record = find_object((uintptr_t)event->object, event->object_kind, true);
  if (!record) return;
  record->kind = event->object_kind;
  record->value = event->value;
  record->created = event->place;
  record->newest_release = record->newest_enter = 0;
  record->waits = record->enters = 0;
  __atomic_store_n(&record->releases, 0, __ATOMIC_RELAXED);
  memset(record->release_places, 0, sizeof record->release_places);
  memset(record->enter_places, 0, sizeof record->enter_places);
}

// Queues.

typedef struct {
  uintptr_t queue;
  int lock;
  int32_t suspended;
  uint64_t queued, delayed, on_group;
  interlock_item *first, *last;
  /// Those that wait for a time or a group.
  interlock_item *later;
  char label[INTERLOCK_LABEL_BYTES];
} queue_record;

enum { queue_capacity = 1 << 14, queue_probes = 64 };
static queue_record queues[queue_capacity];

extern const char *dispatch_queue_get_label(void *queue) __attribute__((weak));
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags)
    __attribute__((weak));
extern void dispatch_release(void *object) __attribute__((weak));
extern char _dispatch_main_q[] __attribute__((weak));
extern char _dispatch_queue_attr_concurrent[] __attribute__((weak));

/// Where a queue has its target and its width. Not in any header: found on queues whose are known, and not used if
/// they are not found.
static size_t target_offset, width_offset;

static void copy_label(queue_record *record, const char *label) {
  if (!label) label = "";
  size_t length = strnlen(label, INTERLOCK_LABEL_BYTES - 1);
  memcpy(record->label, label, length);
  record->label[length] = 0;
}

static queue_record *find_queue(uintptr_t queue, bool make) {
  size_t first = hash(queue);
  for (size_t probe = 0; probe < queue_probes; probe++) {
    queue_record *record = &queues[(first + probe) & (queue_capacity - 1)];
    uintptr_t found = __atomic_load_n(&record->queue, __ATOMIC_ACQUIRE);
    if (found == queue) return record;
    if (found) continue;
    if (!make) return NULL;
    if (__atomic_compare_exchange_n(&record->queue, &found, queue, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      // Seen for the first time, in a call on it: it lives.
      copy_label(record, dispatch_queue_get_label((void *)queue));
      return record;
    }
    if (found == queue) return record;
  }
  note_partial();
  return NULL;
}

static void queue_made(const interlock_event *event) {
  queue_record *record = find_queue((uintptr_t)event->object, true);
  if (!record) return;
  take(&record->lock);
  // Another was here before; what it had queued has run, or it would still be there.
  record->suspended = 0;
  copy_label(record, event->label);
  give(&record->lock);
}

static bool waits_first(const interlock_item *item) {
  return (item->origin >> 48) & (INTERLOCK_FLAG_DELAYED | INTERLOCK_FLAG_ON_GROUP);
}

static void list_item(interlock_item *item) {
  queue_record *record = find_queue((uintptr_t)item->queue, true);
  if (!record) return;
  take(&record->lock);
  if (waits_first(item)) {
    item->previous = NULL;
    item->next = record->later;
    if (record->later) record->later->previous = item;
    record->later = item;
    if ((item->origin >> 48) & INTERLOCK_FLAG_DELAYED) {
      record->delayed++;
    } else {
      record->on_group++;
    }
  } else {
    item->next = NULL;
    item->previous = record->last;
    if (record->last) {
      record->last->next = item;
    } else {
      record->first = item;
    }
    record->last = item;
    record->queued++;
  }
  give(&record->lock);
}

static void unlist_item(interlock_item *item) {
  queue_record *record = find_queue((uintptr_t)item->queue, false);
  if (!record) return;
  take(&record->lock);
  bool later = waits_first(item);
  bool listed = item->previous || item->next || record->first == item || record->later == item;
  if (listed) {
    if (item->next) item->next->previous = item->previous;
    if (item->previous) item->previous->next = item->next;
    if (later) {
      if (record->later == item) record->later = item->next;
      if ((item->origin >> 48) & INTERLOCK_FLAG_DELAYED) {
        record->delayed--;
      } else {
        record->on_group--;
      }
    } else {
      if (record->first == item) record->first = item->next;
      if (record->last == item) record->last = item->previous;
      record->queued--;
    }
  }
  give(&record->lock);
}

static uintptr_t target_of(uintptr_t queue) {
  return target_offset ? *(const uintptr_t *)(queue + target_offset) : 0;
}

enum { most_roots = 12 };
static uintptr_t roots[most_roots];

static int root_index(uintptr_t queue) {
  for (int index = 0; index < most_roots; index++) {
    if (roots[index] == queue) return index;
  }
  return -1;
}

/// The root that a queue's work runs on; 0 where it cannot be told. The queue must be alive.
static uintptr_t root_of(uintptr_t queue) {
  for (int depth = 0; depth < 32 && queue; depth++) {
    if (root_index(queue) >= 0) return queue;
    queue = target_of(queue);
  }
  return 0;
}

static uint32_t width_of(uintptr_t queue) {
  return width_offset ? *(const uint16_t *)(queue + width_offset) : 0;
}

/// Whether a serial queue is another's target, or its target's, and so on.
static bool ends_at(uintptr_t queue, uintptr_t serial) {
  if (width_of(serial) != 1) return false;
  for (uintptr_t at = target_of(queue); at && root_index(at) < 0; at = target_of(at)) {
    if (at == serial) return true;
  }
  return false;
}

/// Whether a synchronous call on `queue` by a thread that is in `run` waits for itself: both are on one queue, or one
/// of them ends at the other, a serial one.
static bool is_same_exclusion(uintptr_t queue, const interlock_run *run, bool barrier) {
  if (queue != run->queue) return ends_at(queue, run->queue) || ends_at(run->queue, queue);
  if (width_of(queue) == 1 || queue == (uintptr_t)_dispatch_main_q) return true;
  return root_index(queue) < 0 && width_offset &&
         (barrier || (run->flags & INTERLOCK_FLAG_BARRIER));
}

/// Hidden: who is told makes calls of his own.
static void tell(void (*told)(const interlock_self_wait *), const interlock_self_wait *wait) {
  interlock_marks.hidden++;
  told(wait);
  interlock_marks.hidden--;
}

static void look_for_self(thread_record *record, const interlock_event *event) {
  void (*told)(const interlock_self_wait *) = __atomic_load_n(&self_told, __ATOMIC_ACQUIRE);
  if (!told) return;
  uintptr_t queue = (uintptr_t)event->object;
  bool barrier = event->flags & INTERLOCK_FLAG_BARRIER;
  for (uint32_t index = record->view.run_count; index-- > 0;) {
    const interlock_run *run = &record->view.runs[index];
    if ((run->flags & INTERLOCK_FLAG_APPLY) || !is_same_exclusion(queue, run, barrier)) continue;
    interlock_self_wait wait = {.thread = record->view.number,
                                .kind = INTERLOCK_OBJECT_QUEUE,
                                .object = run->queue,
                                .place = event->place,
                                .first_place = run->place,
                                // A reader that wants to be a barrier waits for itself without a trap.
                                .traps = queue != run->queue || width_of(queue) == 1 ||
                                         (run->flags & INTERLOCK_FLAG_BARRIER)};
    tell(told, &wait);
    return;
  }
}

/// A contended Swift mutex has its holder's thread in its word, and the runtime ends the process where that asks again.
static void look_for_own_mutex(thread_record *record, const interlock_event *event) {
  void (*told)(const interlock_self_wait *) = __atomic_load_n(&self_told, __ATOMIC_ACQUIRE);
  if (!told) return;
  // Relaxed: only this thread itself puts its number there.
  uint32_t word = __atomic_load_n((const uint32_t *)event->object, __ATOMIC_RELAXED);
  if ((word & 0x3fffffff) != record->view.number) return;
  interlock_self_wait wait = {.thread = record->view.number,
                              .kind = INTERLOCK_OBJECT_OWNED_FUTEX,
                              .object = (uintptr_t)event->object,
                              .place = event->place,
                              .traps = true};
  tell(told, &wait);
}

// What the events do.

static void set_wait(thread_record *record, const interlock_event *event) {
  interlock_thread_view *view = &record->view;
  view->wait_kind = event->object_kind;
  view->wait_flags = event->flags;
  view->wait_object = (uintptr_t)event->object;
  view->wait_other = (uintptr_t)event->other;
  view->wait_place = event->place;
  view->wait_outer = outer_of(event->frame, event->place);
}

static void note_wait(thread_record *record, const interlock_event *event) {
  set_wait(record, event);
  if (event->object_kind == INTERLOCK_OBJECT_CONDITION) {
    // It comes back as it was, however often it was taken.
    interlock_thread_view *view = &record->view;
    record->put_aside.object = 0;
    for (uint32_t index = 0; index < view->held_count; index++) {
      if (view->held[index].object != (uintptr_t)event->other) continue;
      record->put_aside = view->held[index];
      view->held[index].count = 1;
      let_go(record, (uintptr_t)event->other);
      break;
    }
  }
  has_changed(record);
  if (event->object_kind == INTERLOCK_OBJECT_QUEUE && !(event->flags & INTERLOCK_FLAG_APPLY)) {
    // A queue that is only ever called synchronously is known from here.
    find_queue((uintptr_t)event->object, true);
    look_for_self(record, event);
  }
  if (event->object_kind == INTERLOCK_OBJECT_OWNED_FUTEX) look_for_own_mutex(record, event);
  if (event->object_kind == INTERLOCK_OBJECT_SEMAPHORE ||
      event->object_kind == INTERLOCK_OBJECT_GROUP) {
    object_record *object = find_object((uintptr_t)event->object, event->object_kind, true);
    if (object && !is_lock(object)) __atomic_fetch_add(&object->waits, 1, __ATOMIC_RELAXED);
  }
}

static void note_acquire(thread_record *record, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  bool has_lock = false;
  if (event->object_kind == INTERLOCK_OBJECT_SEMAPHORE) {
    object_record *semaphore = find_object(object, 0, false);
    has_lock = semaphore && is_lock(semaphore);
  }
  record->view.wait_kind = 0;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
      hold(record, object, event->object_kind, event->place, outer_of(event->frame, event->place));
      break;
    case INTERLOCK_OBJECT_SEMAPHORE:
      if (has_lock) hold(record, object, event->object_kind, event->place, outer_of(event->frame, event->place));
      break;
    case INTERLOCK_OBJECT_CONDITION:
      if (record->put_aside.object) {
        interlock_held back = record->put_aside;
        hold(record, back.object, back.kind, back.place, back.outer);
        if (record->view.held_count > 0) {
          record->view.held[record->view.held_count - 1].count = back.count;
        }
        record->put_aside.object = 0;
      }
      break;
    default: break;
  }
  has_changed(record);
}

static void note_release(thread_record *record, const interlock_event *event) {
  uintptr_t object = (uintptr_t)event->object;
  switch (event->object_kind) {
    case INTERLOCK_OBJECT_MUTEX:
    case INTERLOCK_OBJECT_READ_LOCK:
    case INTERLOCK_OBJECT_WRITE_LOCK:
      let_go(record, object);
      has_changed(record);
      return;
    case INTERLOCK_OBJECT_SEMAPHORE:
      if (record->view.held_count > 0) let_go(record, object);
      has_changed(record);
      break;
    default:
      has_changed(record);
  }
  object_record *found = find_object(object, event->object_kind, true);
  if (!found || is_lock(found)) return;
  __atomic_fetch_add(&found->releases, 1, __ATOMIC_RELAXED);
  add_place(found->release_places, &found->newest_release, event->place);
}

static void note_begin(thread_record *record, const interlock_event *event) {
  uint32_t by = 0;
  if (event->item) {
    // A delayed one has its time where others have the thread.
    if (!(event->flags & INTERLOCK_FLAG_DELAYED)) by = (uint32_t)(event->item->turn & 0x3fffff);
    unlist_item(event->item);
  }
  interlock_thread_view *view = &record->view;
  if (view->run_count == 0 && event->item) view->pool = root_of((uintptr_t)event->object);
  if (view->run_count < INTERLOCK_RUNS_MOST) {
    view->runs[view->run_count] =
        (interlock_run){(uintptr_t)event->object, event->place, by, event->flags,
                        event->item == NULL && !(event->flags & INTERLOCK_FLAG_APPLY),
                        (uintptr_t)event->other, (uintptr_t)event->value};
  } else {
    view->untold++;
  }
  view->run_count++;
  view->wait_kind = 0;
  has_changed(record);
}

static void note_end(thread_record *record, const interlock_event *event) {
  (void)event;
  if (record->view.run_count > INTERLOCK_RUNS_MOST && record->view.untold > 0) {
    record->view.untold--;
  }
  if (record->view.run_count > 0) record->view.run_count--;
  has_changed(record);
}

static void configure(const interlock_event *event) {
  // Sources are suspended and resumed by the same calls: only what is known as a queue is counted.
  queue_record *record = find_queue((uintptr_t)event->object, false);
  if (!record) return;
  if (event->value == 1 || event->value == -1) {
    __atomic_fetch_add(&record->suspended, (int32_t)event->value, __ATOMIC_RELAXED);
  }
}

/// Nearly all events are these: a mutex that nobody else has, taken and given back in the opposite order.
static inline bool read_mutex_event(thread_record *record, const interlock_event *event) {
  interlock_thread_view *view = &record->view;
  uint32_t count = view->held_count;
  uintptr_t object = (uintptr_t)event->object;
  if (event->kind == INTERLOCK_EVENT_ACQUIRE) {
    if (count >= INTERLOCK_HELD_MOST) return false;
    for (uint32_t index = 0; index < count; index++) {
      if (view->held[index].object == object) return false;
    }
    view->held[count] = (interlock_held){object, event->place, outer_of(event->frame, event->place),
                                        INTERLOCK_OBJECT_MUTEX, 1};
    view->held_count = count + 1;
    view->wait_kind = 0;
  } else if (event->kind == INTERLOCK_EVENT_RELEASE) {
    if (count == 0) return false;
    const interlock_held *last = &view->held[count - 1];
    if (last->object != object || last->count != 1) return false;
    view->held_count = count - 1;
  } else {
    return false;
  }
  has_changed(record);
  return true;
}

static void read_event(const interlock_event *event, void *context) {
  (void)context;
  thread_record *record = own_record();
  if (!record) return;
  if (event->object_kind == INTERLOCK_OBJECT_MUTEX && read_mutex_event(record, event)) return;
  switch (event->kind) {
    case INTERLOCK_EVENT_WAIT: note_wait(record, event); return;
    case INTERLOCK_EVENT_ACQUIRE: note_acquire(record, event); return;
    case INTERLOCK_EVENT_GIVE_UP:
      record->view.wait_kind = 0;
      has_changed(record);
      return;
    case INTERLOCK_EVENT_RELEASE: note_release(record, event); return;
    case INTERLOCK_EVENT_BEGIN: note_begin(record, event); return;
    case INTERLOCK_EVENT_END: note_end(record, event); return;
    default: break;
  }
  has_changed(record);
  switch (event->kind) {
    case INTERLOCK_EVENT_ENQUEUE: list_item(event->item); return;
    case INTERLOCK_EVENT_CANCEL: unlist_item(event->item); return;
    case INTERLOCK_EVENT_CREATE:
      if (event->object_kind == INTERLOCK_OBJECT_QUEUE) {
        queue_made(event);
      } else {
        object_made(event);
      }
      return;
    case INTERLOCK_EVENT_ENTER: {
      object_record *group = find_object((uintptr_t)event->object, event->object_kind, true);
      if (!group) return;
      __atomic_fetch_add(&group->enters, 1, __ATOMIC_RELAXED);
      add_place(group->enter_places, &group->newest_enter, event->place);
      return;
    }
    case INTERLOCK_EVENT_CONFIGURE: configure(event); return;
    case INTERLOCK_EVENT_UNFOLLOWED: note_partial(); return;
    default: return;
  }
}

// The layout of queues, from two that are made for it.

static void learn_layout(void) {
  typedef void *create(const char *, void *, void *);
  create *make = (create *)interlock_find_real("dispatch_queue_create_with_target");
  if (!make || !dispatch_get_global_queue || !dispatch_release) return;
  static const intptr_t classes[] = {0x21, 0x19, 0x15, 0x11, 0x09, 0x05};
  for (int index = 0; index < 6; index++) {
    roots[index] = (uintptr_t)dispatch_get_global_queue(classes[index], 0);
    roots[index + 6] = (uintptr_t)dispatch_get_global_queue(classes[index], 2);
  }
  void *target = (void *)roots[4];
  void *serial = make("interlock.serial", NULL, target);
  void *concurrent = make("interlock.concurrent", _dispatch_queue_attr_concurrent, target);
  for (size_t offset = 8; offset < 96 && !target_offset; offset += 8) {
    if (*(void **)((uintptr_t)serial + offset) == target &&
        *(void **)((uintptr_t)concurrent + offset) == target) {
      target_offset = offset;
    }
  }
  for (size_t offset = 8; offset < 96 && !width_offset; offset += 2) {
    if (*(uint16_t *)((uintptr_t)serial + offset) == 1 &&
        *(uint16_t *)((uintptr_t)concurrent + offset) == 0xffe) {
      width_offset = offset;
    }
  }
  dispatch_release(serial);
  dispatch_release(concurrent);
}

static void forked(void) {
  // The other threads are not here; their records, and who had a lock, are.
  interlock_events_remove(read_event, NULL);
  __atomic_store_n(&started, 0, __ATOMIC_RELAXED);
  threads_lock = 0;
}

bool interlock_waits_start(void) {
  static int only;
  if (__atomic_exchange_n(&only, 1, __ATOMIC_ACQ_REL)) return interlock_waits_started();
  pthread_key_create(&exit_key, thread_exits);
  // Blocks may be queued that nobody here was told of.
  if (interlock_events_available() != INTERLOCK_EVENTS_ALL) note_partial();
  interlock_events_hide_thread(true);
  learn_layout();
  interlock_events_hide_thread(false);
  pthread_atfork(NULL, NULL, forked);
  // Release: who sees that it has started sees the layout.
  __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
  return interlock_events_add_leaf(read_event, NULL, ~(uint32_t)0);
}

bool interlock_waits_started(void) { return __atomic_load_n(&started, __ATOMIC_ACQUIRE); }

void interlock_waits_on_self(void (*told)(const interlock_self_wait *)) {
  __atomic_store_n(&self_told, told, __ATOMIC_RELEASE);
}

bool interlock_waits_is_partial(void) { return __atomic_load_n(&partial, __ATOMIC_RELAXED); }

// Snapshots. From a thread that is hidden, so that nothing here is published.

static bool is_used(const thread_record *record) {
  return __atomic_load_n(&record->used, __ATOMIC_ACQUIRE);
}

uint64_t interlock_waits_progress(void) {
  uint64_t sum = 0;
  for (thread_record *record = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); record;
       record = record->next) {
    // Of those that are gone too: a record that is taken again goes on from its number.
    sum += __atomic_load_n(&record->view.sequence, __ATOMIC_RELAXED);
  }
  return sum;
}

size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity) {
  size_t count = 0;
  for (thread_record *record = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); record;
       record = record->next) {
    if (!is_used(record)) continue;
    if (count < capacity) {
      // Acquire: what the number says was written is there.
      uint64_t sequence = __atomic_load_n(&record->view.sequence, __ATOMIC_ACQUIRE);
      memcpy(&threads[count], &record->view, sizeof record->view);
      threads[count].sequence = sequence;
      if (threads[count].run_count > INTERLOCK_RUNS_MOST) {
        threads[count].run_count = INTERLOCK_RUNS_MOST;
      }
      if (threads[count].held_count > INTERLOCK_HELD_MOST) {
        threads[count].held_count = INTERLOCK_HELD_MOST;
      }
    }
    count++;
  }
  return count;
}

bool interlock_peek(uintptr_t address, void *bytes, size_t count) {
  // By the system: what is not mapped is an error, and no fault.
  struct iovec here = {bytes, count}, there = {(void *)address, count};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)count;
}

static uintptr_t peek_target(uintptr_t queue) {
  uintptr_t target = 0;
  if (!target_offset || !interlock_peek(queue + target_offset, &target, sizeof target)) return 0;
  return target;
}

static void view_queue(const queue_record *record, interlock_queue_view *view) {
  memset(view, 0, sizeof *view);
  view->queue = record->queue;
  view->is_main = record->queue == (uintptr_t)_dispatch_main_q;
  int root = root_index(record->queue);
  view->is_root = root >= 0;
  view->is_overcommit = root >= 6;
  view->suspended = __atomic_load_n(&record->suspended, __ATOMIC_RELAXED);
  if (!view->is_root) view->target = peek_target(record->queue);
  uint16_t width = 0;
  if (width_offset && interlock_peek(record->queue + width_offset, &width, sizeof width)) {
    view->width = view->is_main ? 1 : width;
  }
}

size_t interlock_waits_queues(interlock_queue_view *views, size_t capacity) {
  size_t count = 0;
  for (size_t index = 0; index < queue_capacity; index++) {
    queue_record *record = &queues[index];
    if (!__atomic_load_n(&record->queue, __ATOMIC_ACQUIRE)) continue;
    if (count < capacity) {
      interlock_queue_view *view = &views[count];
      view_queue(record, view);
      take(&record->lock);
      view->queued = record->queued;
      view->delayed = record->delayed;
      view->on_group = record->on_group;
      memcpy(view->label, record->label, sizeof view->label);
      uint64_t earliest = ~(uint64_t)0;
      int looked = 0;
      for (interlock_item *item = record->later; item && looked < 10000;
           item = item->next, looked++) {
        if (((item->origin >> 48) & INTERLOCK_FLAG_DELAYED) && item->turn < earliest) {
          earliest = item->turn;
        }
      }
      view->next_delayed = earliest;
      give(&record->lock);
    }
    count++;
  }
  return count;
}

void interlock_waits_describe_queue(uintptr_t queue, interlock_queue_view *view) {
  queue_record record = {.queue = queue};
  view_queue(&record, view);
  view->next_delayed = ~(uint64_t)0;
  const char *label = NULL;
  // A root queue's label stands at a place of its own; others that nobody was ever told of have none here.
  if (view->is_root) label = dispatch_queue_get_label((void *)queue);
  if (view->is_main) label = "com.apple.main-thread";
  if (label) {
    copy_label(&record, label);
    memcpy(view->label, record.label, sizeof view->label);
  }
}

uintptr_t interlock_waits_root(uintptr_t queue) {
  for (int depth = 0; depth < 32 && queue; depth++) {
    if (root_index(queue) >= 0) return queue;
    queue = peek_target(queue);
  }
  return 0;
}

size_t interlock_waits_items(uintptr_t queue, interlock_item_view *items, size_t capacity) {
  queue_record *record = find_queue(queue, false);
  if (!record) return 0;
  size_t count = 0;
  take(&record->lock);
  for (interlock_item *item = record->first; item && count < capacity; item = item->next) {
    items[count++] = (interlock_item_view){(uintptr_t)(item->origin & 0xffffffffffff),
                                           item->turn >> 22, (uint32_t)(item->turn & 0x3fffff),
                                           (uint32_t)(item->origin >> 48)};
  }
  give(&record->lock);
  return count;
}

uint64_t interlock_waits_ahead(uintptr_t root, uint64_t turn) {
  uint64_t ahead = 0;
  for (size_t index = 0; index < queue_capacity; index++) {
    queue_record *record = &queues[index];
    uintptr_t queue = __atomic_load_n(&record->queue, __ATOMIC_ACQUIRE);
    if (!queue || !record->first) continue;
    if (interlock_waits_root(queue) != root) continue;
    take(&record->lock);
    for (interlock_item *item = record->first; item && item->turn >> 22 < turn; item = item->next) {
      ahead++;
    }
    give(&record->lock);
  }
  return ahead;
}

static void view_object(const object_record *record, interlock_object_view *view) {
  *view = (interlock_object_view){.object = record->object,
                                  .kind = record->kind,
                                  .value = record->value,
                                  .created = record->created,
                                  .waits = record->waits,
                                  .releases = record->releases,
                                  .enters = record->enters};
  for (uint32_t index = 0; index < INTERLOCK_PLACES_MOST; index++) {
    view->release_places[index] =
        record->release_places[(record->newest_release - index) % INTERLOCK_PLACES_MOST];
    view->enter_places[index] =
        record->enter_places[(record->newest_enter - index) % INTERLOCK_PLACES_MOST];
  }
}

bool interlock_waits_object(uintptr_t object, interlock_object_view *view) {
  object_record *record = find_object(object, 0, false);
  if (!record) return false;
  view_object(record, view);
  return true;
}

size_t interlock_waits_continuations(interlock_object_view *views, size_t capacity) {
  size_t count = 0;
  for (size_t index = 0; index < object_capacity; index++) {
    const object_record *record = &objects[index];
    if (!record->object || record->kind != INTERLOCK_OBJECT_CONTINUATION) continue;
    // One that is resumed is released; a task that makes the next begins anew.
    if (__atomic_load_n(&record->releases, __ATOMIC_RELAXED) > 0) continue;
    if (count < capacity) view_object(record, &views[count]);
    count++;
  }
  return count;
}

uint32_t interlock_mutex_owner(uintptr_t mutex) {
  pthread_mutex_t copy;
  if (!interlock_peek(mutex, &copy, sizeof copy)) return 0;
  return copy.__data.__lock ? (uint32_t)copy.__data.__owner : 0;
}

#else

bool interlock_waits_start(void) { return false; }
bool interlock_waits_started(void) { return false; }
uint64_t interlock_waits_progress(void) { return 0; }
size_t interlock_waits_threads(interlock_thread_view *threads, size_t capacity) {
  (void)threads, (void)capacity;
  return 0;
}
size_t interlock_waits_queues(interlock_queue_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}
size_t interlock_waits_items(uintptr_t queue, interlock_item_view *items, size_t capacity) {
  (void)queue, (void)items, (void)capacity;
  return 0;
}
uint64_t interlock_waits_ahead(uintptr_t root, uint64_t turn) {
  (void)root, (void)turn;
  return 0;
}
void interlock_waits_describe_queue(uintptr_t queue, interlock_queue_view *view) {
  (void)queue, (void)view;
}
uintptr_t interlock_waits_root(uintptr_t queue) {
  (void)queue;
  return 0;
}
bool interlock_waits_object(uintptr_t object, interlock_object_view *view) {
  (void)object, (void)view;
  return false;
}
size_t interlock_waits_continuations(interlock_object_view *views, size_t capacity) {
  (void)views, (void)capacity;
  return 0;
}
bool interlock_waits_is_partial(void) { return true; }
void interlock_waits_on_self(void (*told)(const interlock_self_wait *)) { (void)told; }
uint32_t interlock_mutex_owner(uintptr_t mutex) {
  (void)mutex;
  return 0;
}
bool interlock_peek(uintptr_t address, void *bytes, size_t count) {
  (void)address, (void)bytes, (void)count;
  return false;
}

#endif
