#pragma once
#include "launcher.h"

#define TERMINAL_PATH 64

/* Opens a pty: our end (read-write, non-blocking), the shell's end, and the path of the latter. False, with errno, if that fails. */
bool open_terminal(int *ours, int *theirs, char path[TERMINAL_PATH]);
/* Whether it has rows and columns. */
bool is_window(uint32_t window);
/* Rows in the low half, columns in the high one; the foreground group gets SIGWINCH. */
void set_window(int fd, uint32_t window);
/* Starts a new session with this as its controlling terminal. False with errno. */
bool take_terminal(int fd);
