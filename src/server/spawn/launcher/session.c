/*
 * session: captures the directory and the exported variables of a shell when it exits. The service starts the shell with a file in memory at
 * STATE_FD and with an EXIT trap that runs this program again (`launcher --session FD NONCE SHELL`), which writes its own directory and
 * environment, inherited from the shell, to that file. The nonce at the start of the file shows that the descriptor is still that file and not
 * one of the script's. The length is written last, so a writer that is killed has written nothing.
 *
 *     nonce | length (u32) | directory NUL | NAME=value NUL | …
 */
#include "session.h"
#include "frames.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ADD_SEALS 1033
#define NO_NEW_SIZE_OR_SEALS 7 /* F_SEAL_SEAL, F_SEAL_SHRINK and F_SEAL_GROW */
#define CLOEXEC_AND_SEALING 3
#define TOO_LONG UINT32_MAX

extern char **environ;

static size_t nonce_size;

int make_state(const char *nonce) {
  int fd = (int)syscall(SYS_memfd_create, "session", CLOEXEC_AND_SEALING);
  nonce_size = strlen(nonce);
  if (fd < 0) return -1;
  /* of a fixed size, so that no command can fill the memory through it */
  if (ftruncate(fd, MAX_STATE) == 0 && fcntl(fd, ADD_SEALS, NO_NEW_SIZE_OR_SEALS) == 0 && pwrite(fd, nonce, nonce_size, 0) == (ssize_t)nonce_size) return fd;
  int error = errno;
  close(fd);
  return errno = error, -1;
}

void send_state(int *fd) {
  char length[4];
  if (*fd < 0) return;
  if (pread(*fd, length, sizeof length, (off_t)nonce_size) == sizeof length && get32(length) != 0) {
    uint32_t size = get32(length), room = MAX_STATE - (uint32_t)nonce_size - 4;
    if (size > room) size = 0; /* an empty frame: the state is too long */
    if (pread(*fd, frame_room(size), size, (off_t)nonce_size + 4) == (ssize_t)size) frame_done(STATE, size);
  }
  shut(fd);
}

int save_state(const char *fd_text, const char *nonce, const char *shell_text) {
  int fd = atoi(fd_text), shell = atoi(shell_text);
  size_t size = strlen(nonce), room = MAX_STATE - size - 4, length;
  struct stat file;
  /* bash runs the trap also in a background process that it has forked and that is killed before it becomes a program */
  if (getpid() != shell && getppid() != shell) return 1;
  if (size < 1 || size > MAX_NONCE || fstat(fd, &file) != 0 || file.st_size != MAX_STATE) return 1;
  /* in memory, because the limit of the size of files would refuse a write */
  char *found = mmap(NULL, MAX_STATE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *state = found + size + 4;
  if (found == MAP_FAILED || memcmp(found, nonce, size) != 0) return 1;
  if (!getcwd(state, room)) *state = 0; /* the directory was deleted */
  length = strlen(state) + 1;
  for (char **one = environ; *one; one++) {
    size_t bytes = strlen(*one) + 1;
    if (bytes > room - length) return put32(found + size, TOO_LONG), 0;
    memcpy(state + length, *one, bytes);
    length += bytes;
  }
  __sync_synchronize();
  put32(found + size, (uint32_t)length);
  return 0;
}
