/*
 * filter: the seccomp half of a sandbox, for what Landlock does not cover. It sees arguments as numbers, never what a pointer refers to: it
 * can refuse a call, or a call that names a process other than the caller (0), but it cannot distinguish paths.
 */
#include "sandbox.h"
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct bpf { uint16_t code; uint8_t yes, no; uint32_t k; };
struct bpf_program { uint16_t count; struct bpf *code; };
#define BPF_LOAD 0x20
#define BPF_AND 0x54
#define BPF_EQUAL 0x15
#define BPF_AT_LEAST 0x35
#define BPF_RETURN 0x06
#define ALLOW 0x7fff0000u
#define REFUSE(error) (0x00050000u | (error))

#if defined(__x86_64__)
#define ARCH 0xc000003eu
#elif defined(__aarch64__)
#define ARCH 0xc00000b7u
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH 0xc00000f3u
#else
#define ARCH 0 /* no sandboxes */
#endif

#define COUNT(list) (sizeof(list) / sizeof *(list))

#if ARCH

#define NEW_USER 0x10000000 /* CLONE_NEWUSER */
#define SYS_CLONE3 435
#define SYS_OPENAT2 437
#define SYS_FCHMODAT2 452
#define CREATES (0100 | 020000000) /* O_CREAT, O_TMPFILE: without one of them, open ignores its mode argument */

/* Calls that reach other processes without files or signals, or that set file flags, as the ioctls in file_orders do. */
static const int outward[] = {
  469 /* file_setattr */,
  425 /* io_uring_setup: can create sockets without socket(2) */, SYS_open_by_handle_at, SYS_setns,
  SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop,
  SYS_mq_open, SYS_mq_unlink, SYS_add_key, SYS_request_key, SYS_keyctl,
};

/* Calls whose first argument is a process; 0 is the caller. */
static const int tuning[] = {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr};

/* Changes to a file that Landlock does not cover (mode, owner, times, attributes): refused in read-only sandboxes. */
static const int metadata[] = {
#ifdef SYS_chmod /* not on arm64 */
  SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
  SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
  SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_FCHMODAT2, 463 /* setxattrat */, 466 /* removexattrat */,
};

/* Calls that set a file's mode, and the index of that argument. */
static const struct { int call; unsigned at; } modes[] = {
#ifdef SYS_chmod
  {SYS_chmod, 1}, {SYS_creat, 1}, {SYS_mknod, 1},
#endif
  {SYS_fchmod, 1}, {SYS_fchmodat, 2}, {SYS_FCHMODAT2, 2}, {SYS_mknodat, 2},
};

/* ioctls with an argument that change a file through a descriptor opened for reading, by family (ext4 and flags, version, XFS, btrfs). */
#define FILE_ORDERS 0x4000ff00
static const uint32_t file_orders[] = {0x40006600, 0x40007600, 0x40005800, 0x40009400};

static struct { struct bpf code[256]; unsigned count; } filter;

static void add(uint16_t code, uint32_t k, uint8_t yes, uint8_t no) {
  filter.code[filter.count++] = (struct bpf){code, yes, no, k};
}

static void refuse_call(int call, int error) {
  add(BPF_EQUAL, (uint32_t)call, 0, 1);
  add(BPF_RETURN, REFUSE((unsigned)error), 0, 0);
}

static void refuse_calls(const int *calls, size_t count) {
  for (size_t i = 0; i < count; i++) refuse_call(calls[i], EPERM);
}

/* Refuses the call if these bits of the low half of argument `at` equal `value`, or, with `unless`, if they do not. */
static void refuse_argument(int call, unsigned at, uint32_t bits, bool unless, uint32_t value) {
  add(BPF_EQUAL, (uint32_t)call, 0, 5);
  add(BPF_LOAD, 16 + 8 * at, 0, 0);
  add(BPF_AND, bits, 0, 0);
  add(BPF_EQUAL, value, unless, !unless);
  add(BPF_RETURN, REFUSE(EPERM), 0, 0);
  add(BPF_LOAD, 0, 0, 0);
}

/* Refuses the call if argument `flags` has a bit of CREATES and the next argument, the mode, has one of `bits`. */
static void refuse_opened(int call, unsigned flags, uint32_t bits) {
  add(BPF_EQUAL, (uint32_t)call, 0, 8);
  add(BPF_LOAD, 16 + 8 * flags, 0, 0);
  add(BPF_AND, CREATES, 0, 0);
  add(BPF_EQUAL, 0, 4, 0);
  add(BPF_LOAD, 16 + 8 * (flags + 1), 0, 0);
  add(BPF_AND, bits, 0, 0);
  add(BPF_EQUAL, 0, 1, 0);
  add(BPF_RETURN, REFUSE(EPERM), 0, 0);
  add(BPF_LOAD, 0, 0, 0);
}

/*
 * A set-user-ID file would outlive the sandbox, and one owned by root would make anyone root. Set-group-ID is refused only to root, because
 * other users need it on directories. The flags of openat2 are behind a pointer; after ENOSYS, programs fall back to openat.
 */
static void refuse_set_id(void) {
  uint32_t bits = geteuid() == 0 ? 06000 : 04000;
  for (size_t i = 0; i < COUNT(modes); i++) refuse_argument(modes[i].call, modes[i].at, bits, true, 0);
#ifdef SYS_open
  refuse_opened(SYS_open, 1, bits);
#endif
  refuse_opened(SYS_openat, 2, bits);
  refuse_call(SYS_OPENAT2, ENOSYS);
}

static void refuse_others(void) {
  for (size_t i = 0; i < COUNT(tuning); i++) refuse_argument(tuning[i], 0, ~0u, true, 0);
  refuse_argument(SYS_setpriority, 1, ~0u, true, 0);
  refuse_argument(SYS_setpriority, 0, ~0u, false, 2); /* PRIO_USER: 0 means all processes of our user */
  refuse_argument(SYS_ioprio_set, 1, ~0u, true, 0);
  refuse_argument(SYS_ioprio_set, 0, ~0u, false, 3); /* IOPRIO_WHO_USER */
}

/*
 * Without network access, refuses all sockets. With it, refuses only Unix sockets, through which other programs (a message bus, docker)
 * could do what the sandbox forbids. Allows socket pairs, because both ends are inside, except datagram pairs, which can send to any path.
 */
static void refuse_sockets(bool network) {
  if (network) refuse_argument(SYS_socket, 0, ~0u, false, AF_UNIX);
  else refuse_call(SYS_socket, EACCES);
  refuse_argument(SYS_socketpair, 1, 2, false, 2); /* SOCK_DGRAM, SOCK_RAW; not SOCK_STREAM, SOCK_SEQPACKET */
}

int filter_calls(const struct request *a) {
  filter.count = 0;
  add(BPF_LOAD, 4, 0, 0);
  add(BPF_EQUAL, ARCH, 1, 0);
  add(BPF_RETURN, REFUSE(ENOSYS), 0, 0); /* the call numbers of another instruction set */
  add(BPF_LOAD, 0, 0, 0);
#if defined(__x86_64__)
  add(BPF_AT_LEAST, 0x40000000, 0, 1); /* x32 */
  add(BPF_RETURN, REFUSE(ENOSYS), 0, 0);
#endif
  refuse_calls(outward, COUNT(outward));
  refuse_others();
  refuse_sockets(a->network);
  refuse_call(SYS_CLONE3, ENOSYS); /* its flags are behind a pointer; after ENOSYS, programs fall back to clone */
  refuse_argument(SYS_clone, 0, NEW_USER, false, NEW_USER);
  refuse_argument(SYS_unshare, 0, NEW_USER, false, NEW_USER);
  refuse_argument(SYS_ioctl, 1, ~0u, false, 0x5412); /* TIOCSTI types into a terminal */
  refuse_argument(SYS_ioctl, 1, ~0u, false, 0x5423); /* TIOCSETD makes the kernel load drivers for line disciplines */
  for (size_t i = 0; i < COUNT(file_orders); i++) refuse_argument(SYS_ioctl, 1, FILE_ORDERS, false, file_orders[i]);
  if (a->sandbox == BOX_READ_ONLY) refuse_calls(metadata, COUNT(metadata));
  else refuse_set_id();
  add(BPF_RETURN, ALLOW, 0, 0);
  return prctl(PR_SET_SECCOMP, 2, &(struct bpf_program){(uint16_t)filter.count, filter.code}, 0, 0);
}
#else
int filter_calls(const struct request *a) {
  (void)a;
  return -1;
}
#endif

bool can_filter(void) {
  struct bpf allow = {BPF_RETURN, 0, 0, ALLOW};
  return ARCH && prctl(PR_SET_SECCOMP, 2, &(struct bpf_program){1, &allow}, 0, 0) == 0;
}
