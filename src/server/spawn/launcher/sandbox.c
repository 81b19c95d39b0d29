/*
 * sandbox: Landlock limits the use of files in two layers, both of which must allow an access: a mask over the hidden directories and the
 * devices, which is reused from run to run, and the sandbox itself. A seccomp filter (filter.c) refuses what Landlock does not cover.
 * All of it applies permanently to everything that the command starts.
 */
#include "sandbox.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MASK_MS 10000 /* how long to reuse the mask if nothing has changed around the hidden directories; new mounts cannot be detected */

int landlock_abi;
bool has_seccomp;

#ifndef LANDLOCK_ABI_MAX /* the tests simulate older kernels */
#define LANDLOCK_ABI_MAX 63
#endif
#define SYS_LANDLOCK_CREATE 444
#define SYS_LANDLOCK_ADD 445
#define SYS_LANDLOCK_RESTRICT 446

enum {
  FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3, FS_MAKE_CHAR = 1 << 6,
  FS_MAKE_BLOCK = 1 << 11, FS_TRUNCATE = 1 << 14, FS_IOCTL_DEV = 1 << 15,
  FS_ABI3 = (1 << 15) - 1,          /* before ABI 3, truncation is not covered */
  FS_FILE = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV
};
struct landlock_attr { uint64_t fs, net, scoped; };
struct landlock_beneath { uint64_t allowed; int32_t fd; } __attribute__((packed));

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Root keeps its capabilities for files and sockets, but permanently loses those over the machine and other processes. */
static bool drop_powers(void) {
  struct { uint32_t version; int32_t pid; } head = {0x20080522, 0};
  struct { uint32_t effective, permitted, inheritable; } set[2];
  if (syscall(SYS_capget, &head, set) != 0) return false;
  for (int i = 0; i < 2; i++) {
    uint32_t keep = i == 0 ? 0xff | 1 << 10 | 1 << 13 : 0; /* chown … setuid, net_bind_service, net_raw */
    set[i].effective &= keep, set[i].permitted &= keep, set[i].inheritable &= keep;
  }
  return syscall(SYS_capset, &head, set) == 0;
}

static bool add_rule(int rules, int fd, uint64_t rights) {
  struct landlock_beneath beneath = {rights, fd};
  return syscall(SYS_LANDLOCK_ADD, rules, 1, &beneath, 0) == 0;
}

/* Grants rights on one object. A symbolic link gets none: its target has its own. An object that is gone needs none. */
static bool grant(int rules, const char *path, uint64_t rights) {
  struct stat st;
  int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return true;
  bool done = fstat(fd, &st) == 0;
  if (done && !S_ISDIR(st.st_mode)) rights &= FS_FILE;
  if (done && !S_ISLNK(st.st_mode) && rights) done = add_rule(rules, fd, rights);
  close(fd);
  return done;
}

/* All rights that this kernel's Landlock supports. */
static uint64_t all_rights(void) {
  return FS_ABI3 | (landlock_abi >= 5 ? FS_IOCTL_DEV : 0);
}

/* The layer that hides directories. It grants their siblings one by one, so it is valid until one of the parent directories changes. */
static int mask_rules = -1;         /* -1: none */
static struct {
  int64_t since;
  bool stable;                      /* no directory changed while it was read, and none is missing from `parted` */
  char hidden[4 * PATH_MAX];       /* their paths, one per line */
  unsigned count;
  struct { char path[PATH_MAX]; ino_t inode; struct timespec changed; } parted[32]; /* the directories above the hidden ones */
} mask;

/* Remembers a directory above a hidden one: its entries are granted by name, and it is checked before the mask is reused. */
static void remember_parted(const char *path, int64_t now) {
  struct stat st;
  if (mask.count == COUNT(mask.parted) || stat(path, &st) != 0) {
    mask.stable = false;
    return;
  }
  strcpy(mask.parted[mask.count].path, path);
  mask.parted[mask.count].inode = st.st_ino;
  mask.parted[mask.count++].changed = st.st_mtim;
  if (now - ((int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000) < 50) mask.stable = false; /* file timestamps may be this coarse */
}

static bool is_beneath(const char *path, const char *folder) {
  size_t n = strcmp(folder, "/") ? strlen(folder) : 0;
  return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

/* The part of /dev that a sandbox can use: disks would show hidden files to root, and terminals would let a command type as another user. */
static const char *const devices[] = {
  "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", /* only these can be written to */
  "/dev/shm", "/dev/__properties__",
};
#define WRITABLE_DEVICES 6

/* Lets a run use its own terminal, under any of its names. */
static bool grant_terminal(int rules, const struct request *a) {
  return !a->window || grant(rules, a->terminal, FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | (all_rights() & FS_IOCTL_DEV));
}

static bool grant_around(int rules, const char *path, uint64_t rights, char **hidden, int64_t now);

static bool grant_devices(int rules, uint64_t rights, char **hidden, int64_t now) {
  bool done = true;
  for (size_t i = 0; done && i < COUNT(devices); i++) done = grant_around(rules, devices[i], rights, hidden, now);
  return done;
}

/* Grants rights on a directory except on what is hidden in it. Landlock can only allow, so the siblings along the path get the rights. */
static bool grant_around(int rules, const char *path, uint64_t rights, char **hidden, int64_t now) {
  bool parted = strcmp(path, "/") == 0, done = true;
  if (strcmp(path, "/dev") == 0) return grant_devices(rules, rights, hidden, now);
  for (char **h = hidden; *h; h++) {
    if (strcmp(path, *h) == 0) return true;
    if (is_beneath(*h, path)) parted = true;
  }
  if (!parted) return grant(rules, path, rights);
  remember_parted(path, now); /* before the directory is read, so that a later entry shows as a change */
  DIR *dir = opendir(path);
  if (!dir) return true;
  for (struct dirent *e; done && (e = readdir(dir));) {
    char below[PATH_MAX];
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    if (snprintf(below, sizeof below, "%s/%s", strcmp(path, "/") ? path : "", e->d_name) >= (int)sizeof below) continue;
    done = grant_around(rules, below, rights, hidden, now);
  }
  closedir(dir);
  return done;
}

/* Whether the existing mask can be reused: it hides the same directories, and the directories above them have not changed. */
static bool is_masked(const char *hidden) {
  struct stat st;
  if (mask_rules < 0 || !mask.stable || now_ms() - mask.since > MASK_MS || strcmp(mask.hidden, hidden) != 0) return false;
  for (unsigned i = 0; i < mask.count; i++) {
    const struct timespec *changed = &mask.parted[i].changed;
    if (stat(mask.parted[i].path, &st) != 0 || st.st_ino != mask.parted[i].inode) return false;
    if (st.st_mtim.tv_sec != changed->tv_sec || st.st_mtim.tv_nsec != changed->tv_nsec) return false;
  }
  return true;
}

/* Makes the mask or reuses it. It lets every directory be listed: denying that for one directory would deny it for all its parents. */
static bool make_mask(const struct request *a) {
  struct timespec t;
  static char all[sizeof mask.hidden];
  struct landlock_attr attr = {all_rights(), 0, 0};
  *all = 0;
  for (char **h = a->hidden; *h; h++) {
    if (strlen(all) + strlen(*h) + 2 > sizeof all) return errno = ENAMETOOLONG, false;
    strcat(strcat(all, *h), "\n");
  }
  if (!a->window && is_masked(all)) return true;
  shut(&mask_rules);
  clock_gettime(CLOCK_REALTIME, &t);
  mask.since = now_ms(), mask.stable = !a->window, mask.count = 0; /* a mask that allows a terminal is only for its run */
  strcpy(mask.hidden, all);
  mask_rules = (int)syscall(SYS_LANDLOCK_CREATE, &attr, sizeof attr, 0);
  if (mask_rules < 0) return false;
  bool done = grant(mask_rules, "/", FS_READ_DIR) &&
              grant_around(mask_rules, "/", all_rights(), a->hidden, (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000) &&
              grant_terminal(mask_rules, a);
  if (!done) shut(&mask_rules);
  return done;
}

/* Replaces the paths with real paths. Returns false if a directory does not exist; the sandbox then fails. */
static bool resolve(char **paths, char real[][PATH_MAX]) {
  for (; *paths; paths++, real++) if (!(*paths = realpath(*paths, *real))) return false;
  return true;
}

/* The Landlock half of a sandbox, as a descriptor; -1: not available. */
int make_rules(struct request *a) {
  static char hidden[MAX_FOLDERS][PATH_MAX], writable[MAX_FOLDERS][PATH_MAX];
  if (landlock_abi < 3 || !has_seccomp) return errno = ENOTSUP, -1;
  if (!resolve(a->hidden, hidden) || !resolve(a->writable, writable) || !make_mask(a)) return -1;
  uint64_t all = all_rights();
  struct landlock_attr attr = {all, landlock_abi >= 4 && !a->network ? 3 : 0, landlock_abi >= 6 ? 3 : 0};
  int rules = (int)syscall(SYS_LANDLOCK_CREATE, &attr, sizeof attr, 0);
  if (rules < 0) return -1;
  bool done = grant(rules, "/", FS_READ_DIR | FS_EXECUTE | FS_READ_FILE);
  for (size_t i = 0; done && i < WRITABLE_DEVICES; i++) {
    done = grant(rules, devices[i], FS_WRITE_FILE | FS_TRUNCATE | (all & FS_IOCTL_DEV));
  }
  done = done && grant_terminal(rules, a);
  for (char **w = a->writable; done && a->sandbox == BOX_WORKSPACE_WRITE && *w; w++) {
    done = grant(rules, *w, all & ~(uint64_t)(FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV));
  }
  if (!done) shut(&rules);
  return rules;
}

/* Puts this process into the sandbox permanently. The mask comes second: each layer copies the rules of the earlier ones. */
bool enter_sandbox(const struct request *a, int rules) {
  if (rules < 0 || syscall(SYS_LANDLOCK_RESTRICT, rules, 0) != 0) return false;
  if (syscall(SYS_LANDLOCK_RESTRICT, mask_rules, 0) != 0) return false;
  return drop_powers() && filter_calls(a) == 0;
}

/* Probes the kernel in a child, because Android's own filter may kill it. */
void probe_boxes(void) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSYS, SIG_DFL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    bool filters = can_filter();
    long abi = syscall(SYS_LANDLOCK_CREATE, NULL, 0, 1);
    _exit(abi < 0 ? 0 : (int)(abi > LANDLOCK_ABI_MAX ? LANDLOCK_ABI_MAX : abi) | (filters ? 64 : 0));
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (child < 0 || !WIFEXITED(status)) landlock_abi = LANDLOCK_KILLS;
  else landlock_abi = WEXITSTATUS(status) & 63, has_seccomp = WEXITSTATUS(status) & 64;
}
