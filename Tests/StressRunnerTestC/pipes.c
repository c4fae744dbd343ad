#include "hostile.h"

#if defined(__linux__)

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Actions on the pipes that the runner reads: descriptors 1 and 2, and the event pipe, 4.

enum { EVENTS = 4, BLOCK = 1 << 16 };

/// Writes blocks of one byte forever.
static void flood(int descriptor, int byte) {
  static char block[BLOCK];
  memset(block, byte, sizeof block);
  for (;;) write(descriptor, block, sizeof block);
}

static void flood_output(int byte) { flood(1, byte); }
static void flood_errors(int byte) { flood(2, byte); }
static void flood_events(int byte) { flood(EVENTS, byte); }

static void say(const char *line) {
  write(EVENTS, line, strlen(line));
  write(EVENTS, "\n", 1);
}

static const char *const lines[] = {
    "{\"misuse\":{\"_0\":\"nothing\"}}",
    "{\"finished\":{}}",
    "{\"notRun\":{\"_0\":\"\"}}",
    "{\"misuse\":{\"_0\":1e999999}}",
    "{\"finished\":{\"_0\":{\"resources\":99999999999999999999}}}",
    "{\"hang\":{\"_0\":{},\"isCertain\":true,\"isOnlySlow\":true}}",
    "{\"unknown\":{}}",
    "\xff\xfe\x00\xc3\x28",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "{\"oracleFailure\":{\"_0\":{\"oracle\":\"none\",\"evidence\":\"\"}}}",
};

/// An event of a hang with two threads and four queues, with the lowest and highest numbers.
static const char extreme_hang[] =
    "{\"hang\":{\"_0\":{\"signals\":[{\"value\":0,\"waits\":1,\"releases\":0,\"enters\":0,\"creat"
    "ed\":[],\"id\":16,\"kind\":\"semaphore\",\"releasePlaces\":[],\"enterPlaces\":[]},{\"value\""
    ":0,\"waits\":1,\"releases\":0,\"enters\":0,\"created\":[],\"id\":32,\"kind\":\"semaphore\","
    "\"releasePlaces\":[],\"enterPlaces\":[]},{\"value\":0,\"waits\":1,\"releases\":0,\"enters\":"
    "0,\"created\":[],\"id\":48,\"kind\":\"semaphore\",\"releasePlaces\":[],\"enterPlaces\":[]},{"
    "\"value\":0,\"waits\":1,\"releases\":0,\"enters\":0,\"created\":[],\"id\":64,\"kind\":\"sema"
    "phore\",\"releasePlaces\":[],\"enterPlaces\":[]},{\"value\":0,\"waits\":1,\"releases\":0,\"e"
    "nters\":0,\"created\":[],\"id\":80,\"kind\":\"semaphore\",\"releasePlaces\":[],\"enterPlaces"
    "\":[]}],\"actorTypes\":[],\"taskMakers\":[],\"queues\":[{\"isRoot\":false,\"isMain\":false,"
    "\"delayed\":-9223372036854775808,\"label\":\"\",\"onGroups\":9223372036854775807,\"target\":"
    "96,\"blocks\":[{\"isBarrier\":false,\"isJob\":false,\"count\":9223372036854775807,\"place\":"
    "[],\"enqueuedBy\":[],\"ahead\":96,\"code\":0,\"sureWait\":128}],\"isSuspended\":false,\"widt"
    "h\":4094,\"keepsOrder\":true,\"isOvercommit\":false,\"queued\":-9223372036854775808,\"id\":1"
    "12},{\"target\":96,\"onGroups\":9223372036854775807,\"isRoot\":false,\"delayed\":-9223372036"
    "854775808,\"blocks\":[{\"isBarrier\":false,\"isJob\":false,\"count\":-9223372036854775808,\""
    "place\":[],\"enqueuedBy\":[],\"ahead\":0,\"code\":128,\"sureWait\":128}],\"queued\":92233720"
    "36854775807,\"id\":144,\"isOvercommit\":false,\"isSuspended\":false,\"isMain\":false,\"label"
    "\":\"\",\"width\":4094,\"keepsOrder\":true},{\"label\":\"\",\"queued\":0,\"onGroups\":922337"
    "2036854775807,\"isRoot\":true,\"width\":4095,\"delayed\":-9223372036854775808,\"isSuspended"
    "\":false,\"isMain\":false,\"id\":96,\"keepsOrder\":true,\"blocks\":[],\"isOvercommit\":false"
    "},{\"target\":96,\"onGroups\":9223372036854775807,\"isRoot\":false,\"delayed\":-922337203685"
    "4775808,\"blocks\":[{\"isBarrier\":false,\"isJob\":false,\"count\":-9223372036854775808,\"pl"
    "ace\":[],\"enqueuedBy\":[],\"ahead\":0,\"code\":128,\"sureWait\":128}],\"queued\":9223372036"
    "854775807,\"id\":2000,\"isOvercommit\":false,\"isSuspended\":false,\"isMain\":false,\"label"
    "\":\"\",\"width\":4094,\"keepsOrder\":true}],\"leftLocks\":[],\"awaits\":[],\"isPartial\":fa"
    "lse,\"mayRest\":false,\"threads\":[{\"elsewhere\":\"listening\",\"stack\":[],\"runs\":[],\"i"
    "sPartial\":false,\"startedBy\":0,\"isMain\":true,\"id\":13830,\"held\":[],\"name\":\"\"},{\""
    "elsewhere\":\"unknown\",\"stack\":[],\"runs\":[],\"isPartial\":false,\"startedBy\":13830,\"i"
    "sMain\":false,\"wait\":{\"callers\":9223372036854775807,\"isApply\":false,\"seconds\":0,\"ob"
    "ject\":64,\"kind\":\"semaphore\",\"isShared\":false,"
    "\"hasTimeLimit\":false,\"isBarrier\":false,\"place\":[]},\""
    "id\":13832,\"held\":[],\"name\":\"\"},{\"elsewhere\":\"unknown\",\"pool\":96,\"stack\":[],\""
    "runs\":[{\"enqueuedBy\":13832,\"isSynchronous\":false,\"isJob\":false,\"queue\":144,\"code\""
    ":128,\"sureWait\":128,\"isBarrier\":false,\"place\":[],\"isApply\":false}],\"isPartial\":fal"
    "se,\"startedBy\":13832,\"isMain\":false,\"wait\":{\"callers\":-9223372036854775808,\"isApply"
    "\":false,\"seconds\":0,\"object\":80,\"kind\":\"semaphore\",\"isShared\":false,"
    "\"hasTimeLimit\":false,\"place\""
    ":[],\"isBarrier\":false},\"id\":13833,\"held\":[],\"name\":\"\"},{\"elsewhere\":\"listening"
    "\",\"stack\":[],\"runs\":[],\"isPartial\":false,\"startedBy\":0,\"isMain\":false,\"id\":1383"
    "4,\"held\":[],\"name\":\"\"},{\"elsewhere\":\"unknown\",\"pool\":96,\"stack\":[],\"runs\":[{"
    "\"isBarrier\":false,\"isSynchronous\":false,\"isJob\":false,\"queue\":144,\"code\":128,\"sur"
    "eWait\":128,\"enqueuedBy\":13832,\"place\":[],\"isApply\":false}],\"isPartial\":false,\"star"
    "tedBy\":13833,\"isMain\":false,\"wait\":{\"callers\":9223372036854775807,\"isBarrier\":false"
    ",\"seconds\":0,\"object\":32,\"kind\":\"semaphore\",\"isShared\":false,"
    "\"hasTimeLimit\":false,\"place\":[],\"is"
    "Apply\":false},\"id\":13835,\"held\":[],\"name\":\"\"},{\"elsewhere\":\"unknown\",\"pool\":9"
    "6,\"stack\":[],\"runs\":[{\"enqueuedBy\":13832,\"isSynchronous\":false,\"isJob\":false,\"que"
    "ue\":144,\"code\":128,\"sureWait\":128,\"isBarrier\":false,\"place\":[],\"isApply\":false}],"
    "\"isPartial\":false,\"startedBy\":13834,\"isMain\":false,\"wait\":{\"callers\":-922337203685"
    "4775808,\"isApply\":false,\"seconds\":0,\"object\":48,\"kind\":\"semaphore\","
    "\"isShared\":false,"
    "\"hasTimeLimit"
    "\":false,\"place\":[],\"isBarrier\":false},\"id\":13836,\"held\":[],\"name\":\"\"},{\"elsewh"
    "ere\":\"unknown\",\"pool\":96,\"stack\":[],\"runs\":[{\"isApply\":false,\"isSynchronous\":fa"
    "lse,\"isJob\":false,\"queue\":144,\"code\":128,\"sureWait\":128,\"enqueuedBy\":13832,\"place"
    "\":[],\"isBarrier\":false}],\"isPartial\":false,\"startedBy\":13834,\"isMain\":false,\"wait"
    "\":{\"callers\":9223372036854775807,\"isApply\":false,\"seconds\":0,\"object\":16,\"kind\":"
    "\"semaphore\",\"isShared\":false,"
    "\"hasTimeLimit\":false,\"isBarrier\":false,\"place\":[]},\"id\":13837,\"held\""
    ":[],\"name\":\"\"}],\"quietSeconds\":-1e+300,\"activity\":[{\"thread\":2,\"spans\":[{\"from"
    "\":-1e+300,\"to\":1e+300,\"kind\":\"semaphore\",\"object\":64}]}],\"processors\":2,\"nextTim"
    "er\":-1e+300},\"isCertain\":true,\"isOnlySlow\":false}}";

static void say_extreme_hang(int argument) {
  (void)argument;
  say(extreme_hang);
  hostile_hang();
}

static void say_one(int index) {
  say(lines[index]);
  hostile_hang();
}

static void say_one_and_exit(int index) {
  say(lines[index]);
  _exit(0);
}

static void say_for_ever(int index) {
  for (;;) say(lines[index]);
}

static void nest(int argument) {
  (void)argument;
  static char deep[1 << 20];
  memset(deep, '[', sizeof deep - 2);
  say(deep);
  hostile_hang();
}

static void say_half(int argument) {
  (void)argument;
  write(EVENTS, "{\"misuse\":{\"_0\":\"noth", 21);
  _exit(0);
}

/// Writes one line of `mebibytes` MiB, and then nothing more.
static void say_much(int mebibytes) {
  static char block[BLOCK];
  memset(block, 'x', sizeof block);
  for (int index = 0; index < mebibytes * 16; index++) write(EVENTS, block, sizeof block);
  say("");
  hostile_hang();
}

static void close_events(int argument) {
  close(EVENTS);
  if (argument != 0) hostile_hang();
}

static void close_all(int argument) {
  for (int number = 0; number < 5; number++) close(number);
  if (argument != 0) hostile_hang();
}

static void make_small(int argument) {
  (void)argument;
  // F_SETPIPE_SZ.
  fcntl(EVENTS, 1031, 4096);
  fcntl(EVENTS, F_SETFL, O_NONBLOCK);
  fcntl(1, F_SETFL, O_NONBLOCK);
}

static void steal(int argument) {
  (void)argument;
  // The pipe's reading end: takes data that other processes write.
  int reader = open("/proc/self/fd/4", O_RDONLY | O_CLOEXEC);
  char block[BLOCK];
  while (read(reader, block, sizeof block) != 0) {}
}

static void say_bytes(int argument) {
  (void)argument;
  unsigned seed = 1;
  for (int index = 0; index < 100000; index++) {
    unsigned char byte = (unsigned char)rand_r(&seed);
    write(2, &byte, 1);
  }
}

const hostile_action hostile_pipes[] = {
    {"floods-output", flood_output, 'x'},
    {"floods-errors", flood_errors, 0},
    {"floods-events", flood_events, 'x'},
    {"floods-events-with-lines", flood_events, '\n'},
    {"floods-events-with-nothing", flood_events, 0},
    {"floods-events-with-misuse", say_for_ever, 0},
    {"floods-events-with-rubbish", say_for_ever, 6},
    {"says-finished", say_one, 1},
    {"says-finished-and-exits", say_one_and_exit, 1},
    {"says-large-number", say_one, 3},
    {"says-large-count", say_one, 4},
    {"says-hang-of-nothing", say_one, 5},
    {"says-unknown", say_one, 6},
    {"says-no-text", say_one, 7},
    {"says-open-brackets", say_one, 8},
    {"says-unknown-oracle", say_one, 9},
    {"says-deep-nesting", nest, 0},
    {"says-extreme-hang", say_extreme_hang, 0},
    {"says-half", say_half, 0},
    {"says-long-line", say_much, 8},
    {"says-too-long-line", say_much, 64},
    {"says-bytes", say_bytes, 0},
    {"closes-events", close_events, 0},
    {"closes-events-and-hangs", close_events, 1},
    {"closes-all", close_all, 0},
    {"closes-all-and-hangs", close_all, 1},
    {"makes-pipes-small", make_small, 0},
    {"steals-events", steal, 0},
    {NULL, NULL, 0},
};

#endif
