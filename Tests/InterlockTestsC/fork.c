#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marks.h"

int c_exit_code_of_fork(void) {
  pid_t child = fork();
  if (child == 0) exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
