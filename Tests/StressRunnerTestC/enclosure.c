#include "hostile.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The name of a file system in memory that belongs to the enclosure.
static const char source[] = "enclosure";

// The argument of `mount_setattr` (Linux 5.12), which glibc may not declare yet.
struct attributes {
  unsigned long long set, clear, propagation, user;
};
enum { SYSTEM_MOUNT_SETATTR = 442, ALL_BELOW = 0x8000, READ_ONLY = 1, NO_SET_USER_ID = 2 };

static char failure[512];

static const char *failed(const char *what) {
  snprintf(failure, sizeof failure, "%s: %s", what, strerror(errno));
  return failure;
}

static bool write_file(const char *path, const char *text) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  bool done = descriptor >= 0 && write(descriptor, text, strlen(text)) == (ssize_t)strlen(text);
  if (descriptor >= 0) close(descriptor);
  return done;
}

/// Makes the folder `path` below `root`, and those above it.
static void make_folders(const char *root, const char *path) {
  char whole[4096];
  snprintf(whole, sizeof whole, "%s%s", root, path);
  for (char *slash = whole + strlen(root) + 1; *slash != 0; slash++) {
    if (*slash != '/') continue;
    *slash = 0;
    mkdir(whole, 0755);
    *slash = '/';
  }
  mkdir(whole, 0755);
}

static const char *bind_read_only(const char *root, const char *path) {
  char target[4096], link[4096];
  struct stat status;
  if (lstat(path, &status) != 0) return NULL;
  snprintf(target, sizeof target, "%s%s", root, path);
  if (S_ISLNK(status.st_mode)) {
    ssize_t length = readlink(path, link, sizeof link - 1);
    if (length < 0) return failed(path);
    link[length] = 0;
    return symlink(link, target) == 0 ? NULL : failed(target);
  }
  make_folders(root, path);
  if (mount(path, target, NULL, MS_BIND | MS_REC, NULL) != 0) return failed(path);
  struct attributes attributes = {.set = READ_ONLY | NO_SET_USER_ID};
  if (syscall(SYSTEM_MOUNT_SETATTR, AT_FDCWD, target, ALL_BELOW, &attributes,
              sizeof attributes) != 0)
    return failed("mount_setattr");
  return NULL;
}

static const char *make_devices(const char *root) {
  static const char *const names[] = {"null", "zero", "full", "random", "urandom"};
  char target[4096], device[64];
  make_folders(root, "/dev");
  for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
    snprintf(device, sizeof device, "/dev/%s", names[index]);
    snprintf(target, sizeof target, "%s%s", root, device);
    int file = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return failed(target);
    close(file);
    if (mount(device, target, NULL, MS_BIND, NULL) != 0) return failed(device);
  }
  return NULL;
}

static const char *give_up_capabilities(void) {
  for (int number = 0; number <= 63; number++) prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[2] = {{0}};
  return syscall(SYS_capset, &header, none) == 0 ? NULL : failed("capset");
}

/// Runs as the first process of the namespace: reaps orphans, and ends as its child ends.
static void be_first(pid_t child, unsigned seconds) {
  // Threads of pools block this signal, and so do processes that they start.
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarms, NULL);
  alarm(seconds);
  for (;;) {
    int status;
    pid_t ended = wait(&status);
    if (ended == child) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    if (ended < 0 && errno != EINTR) _exit(70);
  }
}

static void ring(int signal) {
  (void)signal;
  // The end of the first process ends the whole namespace.
  _exit(124);
}

const char *hostile_enclose(const char *root, const char *const *folders, size_t count,
                            unsigned seconds) {
  char map[64], text[4096];
  const char *reason;
  uid_t user = getuid();
  gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET) != 0)
    return failed("unshare");
  write_file("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "0 %u 1", (unsigned)user);
  if (!write_file("/proc/self/uid_map", map)) return failed("uid_map");
  snprintf(map, sizeof map, "0 %u 1", (unsigned)group);
  if (!write_file("/proc/self/gid_map", map)) return failed("gid_map");
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return failed("private mounts");
  if (mount(source, root, "tmpfs", 0, "size=64m,nr_inodes=40000") != 0) return failed("tmpfs");
  for (size_t index = 0; index < count; index++)
    if ((reason = bind_read_only(root, folders[index])) != NULL) return reason;
  if ((reason = make_devices(root)) != NULL) return reason;
  make_folders(root, "/tmp");
  make_folders(root, "/proc");
  // The next forked process is the first of the new namespace.
  pid_t first = fork();
  if (first < 0) return failed("fork");
  if (first > 0) {
    int status;
    while (waitpid(first, &status, 0) < 0 && errno == EINTR) {}
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  snprintf(text, sizeof text, "%s/proc", root);
  if (mount("proc", text, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
    return failed("proc");
  if (chdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) return failed("pivot_root");
  if (umount2(".", MNT_DETACH) != 0 || chdir("/tmp") != 0) return failed("umount2");
  if ((reason = give_up_capabilities()) != NULL) return reason;
  // A default action does not affect the first process of a namespace.
  signal(SIGALRM, ring);
  pid_t second = fork();
  if (second < 0) return failed("fork");
  if (second > 0) be_first(second, seconds);
  // A signal to the process group must reach no process outside.
  setsid();
  return NULL;
}

const char *hostile_library_of(const char *function) {
  Dl_info information;
  void *address = dlsym(RTLD_DEFAULT, function);
  return address != NULL && dladdr(address, &information) != 0 ? information.dli_fname : NULL;
}

const char *hostile_reach(void) {
  char line[4096], point[1024], options[1024], rest[2048], type[64], from[256];
  FILE *file = fopen("/proc/self/mountinfo", "re");
  if (file == NULL) return "its mounts cannot be read";
  const char *reach = NULL;
  while (reach == NULL && fgets(line, sizeof line, file) != NULL) {
    // "36 35 98:0 /root /point options tag:1 tag:2 - type source super-options"
    char *dash = strstr(line, " - ");
    if (dash == NULL
        || sscanf(line, "%*s %*s %*s %*s %1023s %1023s %2047s", point, options, rest) < 2
        || sscanf(dash, " - %63s %255s", type, from) != 2) {
      reach = "a mount is not understood";
    } else if (strncmp(options, "ro", 2) != 0 && strcmp(type, "proc") != 0
               && strcmp(from, source) != 0 && strncmp(point, "/dev/", 5) != 0) {
      snprintf(failure, sizeof failure, "it can write to %s", point);
      reach = failure;
    }
  }
  fclose(file);
  int first = open("/proc/1/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = first < 0 ? -1 : read(first, line, sizeof line - 1);
  if (first >= 0) close(first);
  if (length <= 0 || memmem(line, (size_t)length, "hostile", 7) == NULL)
    return reach != NULL ? reach : "it sees other processes";
  return reach;
}

#endif
