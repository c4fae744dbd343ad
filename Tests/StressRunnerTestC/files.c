#include "hostile.h"

#if defined(__linux__)

#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// Actions on the folder for temporary files, and on its parents. `/tmp` belongs to the enclosure.

static char folder[4096];

/// The folder for temporary files, or the folder `levels` above it.
static const char *temporary(int levels) {
  snprintf(folder, sizeof folder, "%s", getenv("TMPDIR"));
  for (; levels > 0; levels--) dirname(folder);
  // Never the root, even if TMPDIR names it.
  if (strncmp(folder, "/tmp/", 5) != 0) _exit(98);
  return folder;
}

static int drop(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  remove(path);
  return 0;
}

static int empty(const char *path, const struct stat *status, int kind, struct FTW *where) {
  return where->level == 0 ? 0 : drop(path, status, kind, where);
}

static void delete_folder(int levels) {
  nftw(temporary(levels), drop, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void empty_folder(int levels) {
  nftw(temporary(levels), empty, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void delete_and_hang(int levels) {
  delete_folder(levels);
  hostile_hang();
}

static void move_folder(int levels) {
  char target[4200];
  snprintf(target, sizeof target, "%s-moved", temporary(levels));
  rename(folder, target);
}

static void replace_by_link(int levels) {
  // The link's target must survive.
  mkdir("/tmp/precious", 0755);
  close(open("/tmp/precious/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  move_folder(levels);
  symlink("/tmp/precious", folder);
}

static void replace_by_file(int levels) {
  delete_folder(levels);
  close(open(temporary(levels), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}

static void replace_by_pipe(int levels) {
  delete_folder(levels);
  mkfifo(temporary(levels), 0644);
}

static void lock_folder(int levels) {
  chdir(temporary(0));
  mkdir("locked", 0700);
  close(open("locked/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  mkdir("locked/empty", 0);
  chmod("locked", 0);
  chmod(temporary(levels), 0);
}

static void dig(int depth) {
  chdir(temporary(0));
  for (int level = 0; level < depth; level++) {
    if (mkdir("d", 0755) != 0 || chdir("d") != 0) break;
    close(open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  }
}

static void scatter(int count) {
  char name[32];
  chdir(temporary(0));
  for (int index = 0; index < count; index++) {
    snprintf(name, sizeof name, "%d", index);
    close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  }
}

static void name_badly(int argument) {
  (void)argument;
  static const char *const names[] = {"\xff\xfe", "a\nb", " ", "-rf", "*", "\x1b[2J", "..."};
  chdir(temporary(0));
  for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
    mkdir(names[index], 0755);
    chdir(names[index]);
    close(open(names[index], O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    chdir("..");
  }
  char longest[256];
  memset(longest, 'n', 255);
  longest[255] = 0;
  close(open(longest, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}

static void make_special(int argument) {
  (void)argument;
  chdir(temporary(0));
  mkfifo("pipe", 0644);
  symlink("/", "root");
  symlink("/tmp", "tmp");
  symlink("loop", "loop");
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
  bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

static void fill_disk(int argument) {
  (void)argument;
  static char block[1 << 20];
  chdir(temporary(0));
  int file = open("full", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  while (write(file, block, sizeof block) > 0) {}
}

static void pretend_next(int argument) {
  char name[64];
  chdir(temporary(1));
  // The names of the next trials' folders, if these were numbered.
  for (int index = 0; index < 1000; index++) {
    snprintf(name, sizeof name, argument == 0 ? "trial-%d" : "../trial-%d", index);
    close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  }
}


enum { SPARSE, PIPE, DEVICE, FOLDER, RUBBISH, NESTED, NUMBERS };

static void forge_report(int kind) {
  char path[4200];
  for (int levels = 1; levels <= 2; levels++) {
    snprintf(path, sizeof path, "%s/subject-%d-0.json", temporary(levels), getpid());
    int file = -1;
    if (kind == PIPE) mkfifo(path, 0644);
    else if (kind == DEVICE) symlink("/dev/zero", path);
    else if (kind == FOLDER) mkdir(path, 0755);
    else file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (kind == SPARSE) ftruncate(file, (off_t)3 << 30);
    if (kind == RUBBISH) write(file, "{\"description\":", 15);
    if (kind == NESTED)
      for (int index = 0; index < 100000; index++) write(file, "[", 1);
    static const char numbers[] =
        "{\"description\":\"x\",\"threads\":[{\"crashed\":true,\"frames\":["
        "{\"address\":\"0xfffffffffffffffffffff\",\"offset\":9223372036854775807},"
        "{\"address\":\"0xffffffffffffffff\",\"offset\":"
        "-9223372036854775808,\"sourceLocation\":{\"file\":\"\",\"line\":-9223372036854775808}},"
        "{\"address\":\"\"}]}]}";
    if (kind == NUMBERS) write(file, numbers, sizeof numbers - 1);
    if (file >= 0) close(file);
  }
  signal(SIGTRAP, SIG_DFL);
  raise(SIGTRAP);
}

static void keep_writing(int argument) {
  (void)argument;
  char name[4200];
  for (int index = 0;; index++) {
    snprintf(name, sizeof name, "%s/%d", temporary(1), index % 500);
    close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    mkdir(temporary(0), 0755);
  }
}

/// Makes `/tmp` read-only, so that the runner's folder cannot be removed.
static void lock_above(int argument) {
  (void)argument;
  temporary(2);
  chmod("/tmp", 0555);
}

static void write_on(int argument) { hostile_in_new_session(keep_writing, argument); }

const hostile_action hostile_files[] = {
    {"deletes-folder", delete_folder, 0},
    {"deletes-parent", delete_folder, 1},
    {"deletes-runners-folder", delete_folder, 2},
    {"deletes-runners-folder-and-hangs", delete_and_hang, 2},
    {"empties-folder", empty_folder, 0},
    {"empties-parent", empty_folder, 1},
    {"empties-runners-folder", empty_folder, 2},
    {"moves-folder", move_folder, 0},
    {"moves-parent", move_folder, 1},
    {"moves-runners-folder", move_folder, 2},
    {"folder-to-link", replace_by_link, 0},
    {"parent-to-link", replace_by_link, 1},
    {"runners-folder-to-link", replace_by_link, 2},
    {"folder-to-file", replace_by_file, 0},
    {"runners-folder-to-file", replace_by_file, 2},
    {"runners-folder-to-pipe", replace_by_pipe, 2},
    {"locks-folder", lock_folder, 0},
    {"locks-parent", lock_folder, 1},
    {"locks-runners-folder", lock_folder, 2},
    {"digs-2000-deep", dig, 2000},
    {"scatters-5000-files", scatter, 5000},
    {"names-badly", name_badly, 0},
    {"makes-special-files", make_special, 0},
    {"fills-disk", fill_disk, 0},
    {"takes-next-names", pretend_next, 0},
    {"takes-next-names-above", pretend_next, 1},
    {"forges-sparse-report", forge_report, SPARSE},
    {"forges-pipe-report", forge_report, PIPE},
    {"forges-device-report", forge_report, DEVICE},
    {"forges-folder-report", forge_report, FOLDER},
    {"forges-rubbish-report", forge_report, RUBBISH},
    {"forges-nested-report", forge_report, NESTED},
    {"forges-number-report", forge_report, NUMBERS},
    {"writes-on", write_on, 0},
    {"locks-place-of-runners-folder", lock_above, 0},
    {NULL, NULL, 0},
};

#endif
