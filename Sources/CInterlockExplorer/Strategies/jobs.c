// The parts of one search tree that several processes share. All atomics are relaxed: a claim
// publishes only its own word, and the parent reads the other fields after the jobs have ended.

#include "jobs.h"

#include <string.h>
#include <sys/mman.h>

enum { JOB_BITS = 8 };
_Static_assert(INTERLOCK_JOBS_MOST < 1 << JOB_BITS, "a job's number has its bits");

interlock_jobs *interlock_jobs_create(void) {
  void *memory = mmap(NULL, sizeof(interlock_jobs), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void interlock_jobs_destroy(interlock_jobs *jobs) {
  if (jobs) munmap(jobs, sizeof *jobs);
}

void interlock_jobs_reset(interlock_jobs *jobs, bool takes_parts, uint64_t most) {
  memset(jobs, 0, sizeof *jobs);
  jobs->takes_parts = takes_parts;
  jobs->last = UINT64_MAX;
  jobs->most = most;
}

interlock_job_part *interlock_job_come_to(interlock_jobs *jobs, uint32_t job, uint64_t path,
                                          uint64_t number, bool *is_left_out) {
  __atomic_store_n(&jobs->at[job], number, __ATOMIC_RELAXED);
  const uint64_t name = path << JOB_BITS, own = name | (job + 1);
  for (uint32_t i = 0; i < INTERLOCK_JOBS_PARTS; i++) {
    interlock_job_part *part = &jobs->parts[((path >> JOB_BITS) + i) % INTERLOCK_JOBS_PARTS];
    uint64_t taken = __atomic_load_n(&part->taken, __ATOMIC_RELAXED);
    if (!taken) {
      if (interlock_jobs_have_enough(jobs)) {
        *is_left_out = true;
        return NULL;
      }
      if (__atomic_compare_exchange_n(&part->taken, &taken, own, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
        part->number = number;
        return part;
      }
    }
    if (taken == own) return part;
    if (taken >> JOB_BITS == name >> JOB_BITS) return NULL;
  }
  // The table is full.
  *is_left_out = true;
  return NULL;
}

void interlock_job_count(interlock_jobs *jobs, interlock_job_part *part) {
  part->orders++;
  __atomic_fetch_add(&jobs->executed, 1, __ATOMIC_RELAXED);
}

bool interlock_jobs_have_enough(const interlock_jobs *jobs) {
  return jobs->most && __atomic_load_n(&jobs->executed, __ATOMIC_RELAXED) >= jobs->most;
}

uint64_t interlock_job_key(const interlock_jobs *jobs, uint32_t job) {
  return __atomic_load_n(&jobs->at[job], __ATOMIC_RELAXED) << JOB_BITS | job;
}

bool interlock_job_goes_on(interlock_jobs *jobs, uint32_t job, uint64_t executions) {
  if (!jobs->takes_parts) __atomic_store_n(&jobs->at[job], executions + 1, __ATOMIC_RELAXED);
  return interlock_job_key(jobs, job) <= __atomic_load_n(&jobs->last, __ATOMIC_RELAXED);
}

void interlock_jobs_stop_behind(interlock_jobs *jobs, uint64_t key) {
  // Only the parent stores `last`.
  if (key < jobs->last) __atomic_store_n(&jobs->last, key, __ATOMIC_RELAXED);
}

uint64_t interlock_jobs_orders_until(const interlock_jobs *jobs, uint64_t key,
                                     const uint64_t *executions, uint32_t count) {
  const uint64_t number = key >> JOB_BITS, job = key & ((1 << JOB_BITS) - 1);
  uint64_t orders = 0;
  if (jobs->takes_parts) {
    for (uint32_t i = 0; i < INTERLOCK_JOBS_PARTS; i++) {
      if (jobs->parts[i].number <= number) orders += jobs->parts[i].orders;
    }
    return orders;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t most = i <= job ? number : number - 1;
    orders += executions[i] < most ? executions[i] : most;
  }
  return orders;
}
