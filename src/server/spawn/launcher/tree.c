/* tree: finds the descendants of this process in /proc, and signals a process without hitting another that reuses its pid. */
#include "tree.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYS_PIDFD_OPEN 434
#define SYS_PIDFD_SEND_SIGNAL 424

#define MAX_PROCS (1u << 17)

struct proc *procs;
size_t proc_count;
static size_t proc_room;
static bool (*skip)(pid_t);

/* Parses /proc/PID/stat. The name in parentheses may contain spaces and parentheses. */
static bool read_stat(int dir, const char *pid, struct proc *p) {
  char path[32], text[640];
  snprintf(path, sizeof path, "%.12s/stat", pid);
  int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return false;
  text[n] = 0;
  char *at = strrchr(text, ')');
  if (!at || at[1] != ' ') return false;
  char state = at[2];
  at += 3;
  unsigned long long field[23] = {0};
  for (int i = 4; i <= 22; i++) field[i] = strtoull(at, &at, 10);
  bool dead = (state == 'Z' || state == 'X') && field[20] <= 1; /* Z with more threads: only the first thread has exited */
  *p = (struct proc){(pid_t)atoi(pid), (pid_t)field[4], (pid_t)field[5], field[22],
                     field[14] + field[15], field[16] + field[17], !dead, 0};
  return true;
}

bool is_there(const struct proc *seen) {
  char name[16];
  struct proc now;
  int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return false;
  snprintf(name, sizeof name, "%d", (int)seen->pid);
  bool there = read_stat(dir, name, &now) && now.start == seen->start;
  close(dir);
  return there;
}

static struct proc *find_proc(pid_t pid) {
  size_t low = 0, high = proc_count;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (procs[mid].pid < pid) low = mid + 1;
    else high = mid;
  }
  return low < proc_count && procs[low].pid == pid ? &procs[low] : NULL;
}

int by_pid(const void *a, const void *b) {
  pid_t x = ((const struct proc *)a)->pid, y = ((const struct proc *)b)->pid;
  return (x > y) - (x < y);
}

#ifndef CHILD_LIST /* the tests also build the launcher without this list */
#define CHILD_LIST "children"
#endif

static struct proc *add_proc(int proc_dir, const char *pid) {
  if (proc_count == proc_room) {
    proc_room = proc_room ? proc_room * 2 : 256;
    procs = more(procs, proc_room * sizeof *procs);
  }
  return proc_count < MAX_PROCS && read_stat(proc_dir, pid, &procs[proc_count]) ? &procs[proc_count++] : NULL;
}

/* Adds the children of one thread, except those to skip. False if the kernel has no such list (CONFIG_PROC_CHILDREN). */
static bool add_children(int proc_dir, pid_t parent, const char *thread) {
  char path[64], pid[16];
  snprintf(path, sizeof path, "/proc/%d/task/%.12s/" CHILD_LIST, (int)parent, thread);
  FILE *list = fopen(path, "re");
  if (!list) return false;
  while (fscanf(list, "%15s", pid) == 1) {
    struct proc *p = skip && skip(atoi(pid)) ? NULL : add_proc(proc_dir, pid);
    if (p && p->parent == parent) p->member = 1;
    else if (p) proc_count--; /* it has another parent now; the next scan finds it there */
  }
  fclose(list);
  return true;
}

/* Fast: follows the kernel's lists of children. Returns false if the kernel has no such lists. */
static bool look_down(int proc_dir, pid_t self) {
  for (size_t i = 0; i <= proc_count; i++) {
    pid_t parent = i == 0 ? self : procs[i - 1].pid;
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    DIR *threads = opendir(path);
    for (struct dirent *e; threads && (e = readdir(threads));) {
      if (e->d_name[0] != '.' && !add_children(proc_dir, parent, e->d_name) && i == 0) return closedir(threads), false;
    }
    if (threads) closedir(threads);
  }
  return true;
}

/* Slow: reads every process and follows the parent links. */
static void look_everywhere(DIR *dir, pid_t self) {
  for (struct dirent *e; (e = readdir(dir));) if (e->d_name[0] >= '1' && e->d_name[0] <= '9') add_proc(dirfd(dir), e->d_name);
  if (proc_count) qsort(procs, proc_count, sizeof *procs, by_pid);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < proc_count; i++) {
      struct proc *p = &procs[i], *up;
      if (p->member) continue;
      if (skip && skip(p->pid)) p->member = -1;
      else if (p->parent == self) p->member = 1;
      else if (p->parent <= 1 || !(up = find_proc(p->parent))) p->member = -1;
      else if (up->member) p->member = up->member;
      changed |= p->member != 0;
    }
  }
}

bool look(bool (*skipped)(pid_t)) {
  skip = skipped;
  DIR *dir = opendir("/proc");
  proc_count = 0;
  if (!dir) return false;
  if (!look_down(dirfd(dir), getpid())) look_everywhere(dir, getpid());
  closedir(dir);
  return true;
}

bool has_pidfd;

void probe_pidfd(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSYS, SIG_DFL);
    int held = (int)syscall(SYS_PIDFD_OPEN, getpid(), 0);
    _exit(held >= 0 && syscall(SYS_PIDFD_SEND_SIGNAL, held, 0, NULL, 0) == 0 ? 0 : 1);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  has_pidfd = child > 0 && status == 0;
}

void signal_proc(const struct proc *seen, int number) {
  int held = has_pidfd ? (int)syscall(SYS_PIDFD_OPEN, seen->pid, 0) : -1;
  if (is_there(seen)) {
    if (held < 0) kill(seen->pid, number);
    else syscall(SYS_PIDFD_SEND_SIGNAL, held, number, NULL, 0);
  }
  if (held >= 0) close(held);
}
