// Static variables of C++ functions, which are initialised when the function is first called.
#include <unistd.h>

extern "C" {
#include "programs.h"
}

namespace {

struct Table {
  int values[8];
  Table() {
    for (int &value : values) value = 1;
  }
  int sum() const {
    int sum = 0;
    for (int value : values) sum += value;
    return sum;
  }
};

volatile int total;

Table &shared() {
  static Table it;
  return it;
}
void *use_shared(void *) {
  for (int i = 0; i < 100; i++) (void)shared().sum();
  return nullptr;
}
void static_correct() { run_both(use_shared, use_shared); }

// The first caller makes the table, and nothing orders the second caller after that.
Table *made;
void *use_made(void *) {
  if (!made) made = new Table;
  (void)made->sum();
  return nullptr;
}
void static_racy() { run_both(use_made, use_made); }

struct Base {
  virtual ~Base() = default;
  virtual int value() { return 1; }
};
struct Derived : Base {
  int number = 2;
  int value() override { return number; }
};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Base *current;
void *replace(void *) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    delete current;
    current = new Derived;
    total = current->value();
    pthread_mutex_unlock(&mutex);
  }
  return nullptr;
}
void virtual_correct() { run_both(replace, replace); }

}  // namespace

extern "C" const memory_program memory_static_programs[] = {
    {"cxx_static.correct", static_correct},
    {"cxx_static.racy", static_racy},
    {"cxx_virtual.correct", virtual_correct},
    {nullptr, nullptr},
};
