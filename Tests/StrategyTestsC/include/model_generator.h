/// Random programs for the model, by seed.
#ifndef STRATEGY_TESTS_MODEL_GENERATOR_H
#define STRATEGY_TESTS_MODEL_GENERATOR_H

#include "model.h"

/// The features that a program is made of. `MODEL_FEATURES` is the number of the first ones.
typedef enum {
  MODEL_MUTEX,
  MODEL_TRY,
  MODEL_READERS,
  MODEL_CONDITION,
  MODEL_SEMAPHORE,
  MODEL_TIMED_WAIT,
  MODEL_BARRIER,
  MODEL_GROUP,
  MODEL_QUEUE,
  MODEL_QUEUE_STATE,
  MODEL_TASKS,
  MODEL_CONTINUATION,
  MODEL_MEMORY,
  MODEL_CLOCK,
  MODEL_SPAWN,
  MODEL_FEATURES,
  /// Only from the seed `MODEL_FIRST_WITH_SECTIONS` on, so that earlier seeds keep their programs.
  MODEL_SECTIONS = MODEL_FEATURES,
  MODEL_SYNC_POINTS,
} model_feature;

enum { MODEL_FIRST_WITH_SECTIONS = 1 << 20 };

/// Makes a program of two or three threads from one to three features.
model_program model_generate(uint64_t seed);

/// The next number of the generator's sequence.
uint64_t model_random(uint64_t *seed);

#endif
