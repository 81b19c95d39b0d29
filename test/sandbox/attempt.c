/* One attempt by its name; exit code 0: it was possible. The system calls themselves, so that no tool's own mind is in between. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
static int put(const char *path, int flags) {
  int fd = open(path, flags, 0600);
  return fd >= 0 && (flags == O_RDONLY || write(fd, "x", 1) == 1);
}
static int get(const char *path) {
  char x;
  int fd = open(path, O_RDONLY);
  return fd >= 0 && read(fd, &x, 1) == 1;
}
static int tcp(int port, int type) {
  struct sockaddr_in a = {AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}, {0}};
  int fd = socket(AF_INET, type, 0);
  return fd >= 0 && (type == SOCK_DGRAM ? sendto(fd, "x", 1, 0, (void *)&a, sizeof a) == 1 : connect(fd, (void *)&a, sizeof a) == 0);
}
/* On a port that nobody has. */
static int listens(void) {
  struct sockaddr_in a = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
  int fd = socket(AF_INET, SOCK_STREAM, 0), taken = 1;
  for (int port = 20000 + getpid() % 12000; fd >= 0 && taken && port < 65000; port++) {
    a.sin_port = htons(port);
    if (bind(fd, (void *)&a, sizeof a) == 0) return listen(fd, 1) == 0;
    taken = errno == EADDRINUSE;
  }
  return 0;
}
static int un(const char *path, int abstract) {
  struct sockaddr_un a = {AF_UNIX, {0}};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  strncpy(a.sun_path + abstract, path, sizeof a.sun_path - 2);
  return fd >= 0 && connect(fd, (void *)&a, sizeof a.sun_family + strlen(path) + 1) == 0;
}
/* Listens on an abstract socket and on one for datagrams, has a terminal, and says which. */
static int serves(const char *name, const char *path) {
  struct sockaddr_un a = {AF_UNIX, {0}}, d = {AF_UNIX, {0}};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0), letters = socket(AF_UNIX, SOCK_DGRAM, 0), terminal = posix_openpt(O_RDWR | O_NOCTTY);
  strcpy(a.sun_path + 1, name), strcpy(d.sun_path, path);
  if (bind(fd, (void *)&a, sizeof a.sun_family + strlen(name) + 1) != 0 || listen(fd, 9) != 0) return 0;
  if (bind(letters, (void *)&d, sizeof d) != 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return 0;
  puts(ptsname(terminal));
  fflush(stdout);
  return pause();
}
static int letter(const char *path, int type) {
  struct sockaddr_un a = {AF_UNIX, {0}};
  int pair[2];
  strcpy(a.sun_path, path);
  return socketpair(AF_UNIX, type, 0, pair) == 0 && sendto(pair[0], "x", 1, 0, (void *)&a, sizeof a) == 1;
}
/* Nothing is changed that was not so before. */
static int tunes(pid_t pid, const char *what) {
  struct sched_param none = {0};
  struct { unsigned size, policy; unsigned long flags; int nice; unsigned rest[7]; } attr = {.size = 48, .nice = 19};
  struct rlimit core = {0, 0};
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  if (strcmp(what, "limit") == 0) return prlimit(pid, RLIMIT_CORE, &core, NULL) == 0;
  if (strcmp(what, "nice") == 0) return setpriority(PRIO_PROCESS, (id_t)pid, 19) == 0;
  if (strcmp(what, "affinity") == 0) return sched_setaffinity(pid, sizeof all, &all) == 0;
  if (strcmp(what, "scheduler") == 0) return sched_setscheduler(pid, SCHED_OTHER, &none) == 0;
  if (strcmp(what, "param") == 0) return sched_setparam(pid, &none) == 0;
  if (strcmp(what, "attr") == 0) return syscall(SYS_sched_setattr, pid, &attr, 0) == 0;
  return syscall(SYS_ioprio_set, 1, pid, 2 << 13 | 4) == 0;
}
static int tunes_itself(void) {
  const char *all[] = {"limit", "nice", "affinity", "scheduler", "param", "attr", "io"};
  for (int i = 0; i < 7; i++) if (!tunes(0, all[i])) return 0;
  return 1;
}
/* Of all processes of this user, or of their io. Tried in vain where it is allowed: to the best, which needs a right. */
static int tunes_user(void) {
  errno = 0;
  return getenv("UNBOXED") || setpriority(PRIO_USER, 0, -20) == 0 || errno != EPERM;
}
static int terminal(void) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY);
  return fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0 && (open(ptsname(fd), O_RDWR | O_NOCTTY) >= 0 || ioctl(fd, 0x5441, O_RDWR) >= 0);
}
static int by_handle(const char *path) {
  struct { struct file_handle head; char room[128]; } handle = {{.handle_bytes = 128}, {0}};
  int mount, fd;
  if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) != 0) return 0;
  fd = open_by_handle_at(open("/", O_RDONLY), &handle.head, O_RDONLY);
  return fd >= 0 && read(fd, &mount, 1) == 1;
}
static int clones(int number) {
  unsigned long long args[11] = {CLONE_NEWUSER};
  args[4] = SIGCHLD;
  pid_t pid = (pid_t)(number == SYS_clone ? syscall(number, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) : syscall(number, args, 64));
  if (pid == 0) _exit(0);
  return pid > 0 && waitpid(pid, NULL, 0) == pid;
}
static int shares(void) {
  int id = shmget(IPC_PRIVATE, 4096, 0600), done = id >= 0 && shmat(id, NULL, 0) != (void *)-1;
  if (id >= 0) shmctl(id, IPC_RMID, NULL);
  return done;
}
static int queues(void) {
  int id = msgget(IPC_PRIVATE, 0600), semaphore = semget(IPC_PRIVATE, 1, 0600);
  if (id >= 0) msgctl(id, IPC_RMID, NULL);
  if (semaphore >= 0) semctl(semaphore, 0, IPC_RMID);
  return id >= 0 || semaphore >= 0;
}
static int posix_queues(void) {
  char name[64];
  snprintf(name, sizeof name, "shellphone-test-%d", (int)getpid());
  return syscall(SYS_mq_open, name, O_RDWR | O_CREAT, 0600, NULL) >= 0 && syscall(SYS_mq_unlink, name) == 0;
}
static int keys(void) {
  return syscall(SYS_add_key, "user", "shellphone-test", "x", 1, -2) > 0 || syscall(SYS_keyctl, 0, -4, 0) > 0 ||
         (syscall(SYS_request_key, "user", "shellphone-none", NULL, 0) < 0 && errno == ENOKEY);
}
static int reads_memory(pid_t pid) {
  char x;
  struct iovec here = {&x, 1}, there = {(void *)4096, 1};
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == 1 || errno == EFAULT;
}
int main(int c, char **v) {
  const char *n = v[1], *p = v[2], *q = c > 3 ? v[3] : "";
  struct timeval times[2] = {{1, 0}, {1, 0}};
  char params[256] = {0}, attr[24] = {0};
  struct stat st;
  int pair[2], fd;
  long flags = 0;
#define IS(name) if (strcmp(n, name) == 0) return !
  IS("read") get(p);
  IS("write") put(p, O_WRONLY);
  IS("null") put(p, O_RDWR | O_TRUNC);
  IS("create") put(p, O_WRONLY | O_CREAT | O_EXCL);
  IS("truncate") (truncate(p, 0) == 0);
  IS("opentrunc") (open(p, O_RDONLY | O_TRUNC) >= 0);
  IS("mkdir") (mkdir(p, 0700) == 0);
  IS("rename") (rename(p, q) == 0);
  IS("exchange") (renameat2(AT_FDCWD, p, AT_FDCWD, q, RENAME_EXCHANGE) == 0);
  IS("unlink") (unlink(p) == 0);
  IS("link") (link(p, q) == 0);
  IS("symlink") (symlink(p, q) == 0);
  IS("fifo") (mkfifo(p, 0600) == 0);
  IS("device") (mknod(p, S_IFCHR | 0600, 0x103) == 0);
  IS("descriptor") (write(atoi(p), "x", 1) == 1);
  IS("chmod") (chmod(p, 0640) == 0);
  IS("setattr") (syscall(469, AT_FDCWD, p, attr, sizeof attr, 0) == 0 || errno == ENOTTY || errno == EOPNOTSUPP || errno == ENOSYS);
  IS("setuid") (chmod(p, 04755) == 0);
  IS("setuid-open") ((fd = open(p, O_CREAT | O_WRONLY | O_EXCL, 04755)) >= 0 && fstat(fd, &st) == 0 && st.st_mode & S_ISUID);
  IS("setuid-fchmod") ((fd = open(p, O_RDONLY)) >= 0 && fchmod(fd, 04755) == 0);
  IS("setuid-node") (mknod(p, S_IFREG | 04755, 0) == 0);
  IS("setgid") (chmod(p, 02755) == 0);
  IS("utimes") (utimes(p, times) == 0);
  IS("chown") (chown(p, getuid(), getgid()) == 0);
  IS("xattr") (setxattr(p, "user.x", "x", 1, 0) == 0 || errno == ENOTSUP);
  IS("setflags") ((fd = open(p, O_RDONLY)) >= 0 && ioctl(fd, 0x80086601, &flags) == 0 && ioctl(fd, 0x40086602, &flags) == 0);
  IS("setversion") ((fd = open(p, O_RDONLY)) >= 0 && ioctl(fd, 0x80087601, &flags) == 0 && ioctl(fd, 0x40087602, &flags) == 0);
  IS("list") (open(p, O_RDONLY | O_DIRECTORY) >= 0);
  IS("stat") (access(p, F_OK) == 0);
  IS("tcp") tcp(atoi(p), SOCK_STREAM);
  IS("udp") tcp(atoi(p), SOCK_DGRAM);
  IS("listen") listens();
  IS("packet") (socket(AF_PACKET, SOCK_RAW, 0) >= 0);
  IS("netlink") (socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
  IS("unix") un(p, 0);
  IS("abstract") un(p, 1);
  IS("serve") serves(p, q);
  IS("datagram") letter(p, SOCK_DGRAM);
  IS("raw") letter(p, SOCK_RAW);
  IS("tune") tunes(atoi(p), q);
  IS("tune-itself") tunes_itself();
  IS("tune-user") tunes_user();
  IS("open") (open(p, O_RDONLY | O_NOCTTY | O_NONBLOCK) >= 0);
  IS("open-to-write") (open(p, O_WRONLY | O_NOCTTY | O_NONBLOCK) >= 0);
  IS("terminal") terminal();
  IS("watch") (inotify_add_watch(inotify_init(), p, IN_MODIFY) >= 0);
  IS("handle") by_handle(p);
  IS("userns") (unshare(CLONE_NEWUSER) == 0);
  IS("clone") clones(SYS_clone);
  IS("clone3") clones(435);
  IS("setns") (setns(open("/proc/self/ns/net", O_RDONLY), 0) == 0);
  IS("shm") shares();
  IS("sysv") queues();
  IS("mq") posix_queues();
  IS("keys") keys();
  IS("memory") reads_memory(atoi(p));
  IS("pair") (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && write(pair[0], "x", 1) == 1);
  IS("io_uring") (syscall(425, 4, params) >= 0);
  IS("kill") (kill(atoi(p), 0) == 0);
  IS("ptrace") (ptrace(PTRACE_SEIZE, atoi(p), 0, 0) == 0);
  IS("mount") (mount("none", p, "tmpfs", 0, "") == 0 && umount(p) == 0);
  IS("chroot") (chroot(p) == 0);
  return 99;
}
