/*
 * session: captures the directory and the exported variables of a shell when it exits. The service starts the shell with a file in memory at
 * STATE_FD and with an EXIT trap that runs this program again (`launcher --session FD NONCE STATUS`), which writes its own directory and
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

static bool write_all(int fd, const char *data, size_t size, off_t at) {
  while (size > 0) {
    ssize_t n = pwrite(fd, data, size, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n, size -= (size_t)n, at += n;
  }
  return true;
}

int save_state(const char *fd_text, const char *nonce) {
  int fd = atoi(fd_text);
  size_t size = strlen(nonce), room = MAX_STATE - size - 4, length = 0;
  char found[MAX_NONCE], number[4], *state = malloc(MAX_STATE);
  if (size < 1 || size > MAX_NONCE || !state || pread(fd, found, size, 0) != (ssize_t)size || memcmp(found, nonce, size) != 0) return 1;
  if (!getcwd(state, room)) *state = 0; /* the directory was deleted */
  length = strlen(state) + 1;
  for (char **one = environ; *one; one++) {
    size_t bytes = strlen(*one) + 1;
    if (bytes > room - length) return put32(number, TOO_LONG), write_all(fd, number, 4, (off_t)size) ? 0 : 1;
    memcpy(state + length, *one, bytes);
    length += bytes;
  }
  put32(number, (uint32_t)length);
  return write_all(fd, state, length, (off_t)size + 4) && write_all(fd, number, 4, (off_t)size) ? 0 : 1;
}
