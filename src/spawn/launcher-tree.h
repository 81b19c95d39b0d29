/* Part of launcher.c: who descends from this process, by /proc, and a signal that cannot hit another. */

struct proc {
  pid_t pid, parent, group;
  uint64_t start, ticks;
  bool alive;
  int8_t member;                    /* 0: not known yet */
};

static struct proc *procs;
static size_t proc_count, proc_room;

/* Reads one line of /proc/PID/stat. The name in brackets may hold blanks and brackets. */
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
  bool dead = (state == 'Z' || state == 'X') && field[20] <= 1; /* a first thread that has ended shows Z, others run on */
  *p = (struct proc){(pid_t)atoi(pid), (pid_t)field[4], (pid_t)field[5], field[22],
                     field[14] + field[15] + field[16] + field[17], !dead, 0};
  return true;
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

static int by_pid(const void *a, const void *b) {
  pid_t x = ((const struct proc *)a)->pid, y = ((const struct proc *)b)->pid;
  return (x > y) - (x < y);
}

/* Looks at /proc and marks what descends from us, but for the keepers and what is theirs. False where there is no /proc. */
static bool look(void) {
  DIR *dir = opendir("/proc");
  proc_count = 0;
  if (!dir) return false;
  for (struct dirent *e; (e = readdir(dir)) && proc_count < MAX_PROCS;) {
    if (e->d_name[0] < '1' || e->d_name[0] > '9') continue;
    if (proc_count == proc_room) {
      proc_room = proc_room ? proc_room * 2 : 256;
      procs = more(procs, proc_room * sizeof *procs);
    }
    if (read_stat(dirfd(dir), e->d_name, &procs[proc_count])) proc_count++;
  }
  closedir(dir);
  if (proc_count) qsort(procs, proc_count, sizeof *procs, by_pid);
  pid_t self = getpid();
  for (unsigned i = 0; i < run_count; i++) {
    struct proc *p = runs[i].keeper ? find_proc(runs[i].keeper) : NULL;
    if (p) p->member = -1;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < proc_count; i++) {
      struct proc *p = &procs[i], *up;
      if (p->member) continue;
      if (p->parent == self) p->member = 1;
      else if (p->parent <= 1 || !(up = find_proc(p->parent))) p->member = -1;
      else if (up->member) p->member = up->member;
      changed |= p->member != 0;
    }
  }
  return true;
}

/* Signals exactly the process that was seen: a process descriptor holds it while its start time is read again. */
static void signal_proc(const struct proc *seen, int number) {
  char name[16];
  struct proc now;
  int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), held = -1;
  if (dir < 0) return;
#ifndef __ANDROID__ /* there the call may be punished by SIGSYS */
  held = (int)syscall(434 /* pidfd_open */, seen->pid, 0);
#endif
  snprintf(name, sizeof name, "%d", (int)seen->pid);
  if (read_stat(dir, name, &now) && now.start == seen->start) {
    if (held < 0) kill(seen->pid, number);
    else syscall(424 /* pidfd_send_signal */, held, number, NULL, 0);
  }
  if (held >= 0) close(held);
  close(dir);
}
