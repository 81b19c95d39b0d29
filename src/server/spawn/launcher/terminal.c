/* terminal: a pty for a run that requests one. */
#include "terminal.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#ifndef TIOCGPTPEER /* Linux 4.13 */
#define TIOCGPTPEER 0x5441
#endif

/* Opens the shell's end through ours if the kernel supports that: the path may refer to another mount of devpts. */
static int open_peer(int ours, const char *path) {
  int fd = ioctl(ours, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  return fd >= 0 ? fd : open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* Makes backspace delete a whole UTF-8 character. */
static void set_utf8(int fd) {
  struct termios modes;
  if (tcgetattr(fd, &modes) != 0) return;
  modes.c_iflag |= IUTF8;
  tcsetattr(fd, TCSANOW, &modes);
}

bool open_terminal(int *ours, int *theirs, char path[TERMINAL_PATH]) {
  *theirs = -1;
  *ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (*ours < 0) return false;
  if (grantpt(*ours) == 0 && unlockpt(*ours) == 0 && ptsname_r(*ours, path, TERMINAL_PATH) == 0) *theirs = open_peer(*ours, path);
  if (*theirs >= 0) return set_utf8(*theirs), true;
  int error = errno;
  shut(ours);
  return errno = error, false;
}

bool is_window(uint32_t window) {
  return (window & 0xffff) && window >> 16;
}

void set_window(int fd, uint32_t window) {
  struct winsize size = {.ws_row = (uint16_t)window, .ws_col = (uint16_t)(window >> 16)};
  ioctl(fd, TIOCSWINSZ, &size);
}

bool take_terminal(int fd) {
  return setsid() >= 0 && ioctl(fd, TIOCSCTTY, 0) == 0;
}
