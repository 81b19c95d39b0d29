/* One attempt by its name; exit code 0: it was possible. The system calls themselves, so that no tool's own mind is in between. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
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
static int listens(void) {
  struct sockaddr_in a = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  a.sin_port = htons(20000 + getpid() % 20000);
  return fd >= 0 && bind(fd, (void *)&a, sizeof a) == 0 && listen(fd, 1) == 0;
}
static int un(const char *path, int abstract) {
  struct sockaddr_un a = {AF_UNIX, {0}};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  strncpy(a.sun_path + abstract, path, sizeof a.sun_path - 2);
  return fd >= 0 && connect(fd, (void *)&a, sizeof a.sun_family + strlen(path) + 1) == 0;
}
static int serves(const char *name) {
  struct sockaddr_un a = {AF_UNIX, {0}};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  strcpy(a.sun_path + 1, name);
  if (bind(fd, (void *)&a, sizeof a.sun_family + strlen(name) + 1) != 0 || listen(fd, 9) != 0) return 0;
  puts("ready");
  fflush(stdout);
  return pause();
}
int main(int c, char **v) {
  const char *n = v[1], *p = v[2], *q = c > 3 ? v[3] : "";
  struct timeval times[2] = {{1, 0}, {1, 0}};
  char params[256] = {0};
  int pair[2], flags = 0, fd;
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
  IS("utimes") (utimes(p, times) == 0);
  IS("chown") (chown(p, getuid(), getgid()) == 0);
  IS("xattr") (setxattr(p, "user.x", "x", 1, 0) == 0 || errno == ENOTSUP);
  IS("setflags") ((fd = open(p, O_RDONLY)) >= 0 && ioctl(fd, 0x80086601, &flags) == 0 && ioctl(fd, 0x40086602, &flags) == 0);
  IS("list") (open(p, O_RDONLY | O_DIRECTORY) >= 0);
  IS("stat") (access(p, F_OK) == 0);
  IS("tcp") tcp(atoi(p), SOCK_STREAM);
  IS("udp") tcp(atoi(p), SOCK_DGRAM);
  IS("listen") listens();
  IS("packet") (socket(AF_PACKET, SOCK_RAW, 0) >= 0);
  IS("netlink") (socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
  IS("unix") un(p, 0);
  IS("abstract") un(p, 1);
  IS("serve") serves(p);
  IS("pair") (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && write(pair[0], "x", 1) == 1);
  IS("io_uring") (syscall(425, 4, params) >= 0);
  IS("kill") (kill(atoi(p), 0) == 0);
  IS("ptrace") (ptrace(PTRACE_SEIZE, atoi(p), 0, 0) == 0);
  IS("mount") (mount("none", p, "tmpfs", 0, "") == 0 && umount(p) == 0);
  IS("chroot") (chroot(p) == 0);
  return 99;
}
