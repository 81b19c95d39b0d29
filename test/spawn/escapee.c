/* Forks twice, leaves session, group, environment, name and descriptors behind, and says who it is in a file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int c, char **v) {
  if (c == 2) {
    if (fork()) _exit(0);
    setsid();
    if (fork()) _exit(0);
    setpgid(0, 0);
    char *argv[] = {"[kworker/0:0]", v[1], "again", NULL}, *env[] = {NULL};
    return execve("/proc/self/exe", argv, env);
  }
  char text[32], name[4096], path[4096];
  strcpy(path, v[1]);
  for (int i = 0; i < 65; i++) signal(i, SIG_IGN);
  int n = snprintf(text, sizeof text, "%d\n", (int)getpid()), fd;
  snprintf(name, sizeof name, "%s.new", path);
  fd = open(name, O_CREAT | O_WRONLY, 0600);
  if (write(fd, text, n) != n) return 1;
  for (int i = 0; i < 256; i++) close(i);
  prctl(PR_SET_NAME, "kworker/0:0");
  memset(v[1], 0, strlen(v[1]));
  rename(name, path);
  if (chdir("/") != 0) return 1;
  for (;;) pause();
}
