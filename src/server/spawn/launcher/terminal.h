#pragma once
#include "launcher.h"

#define TERMINAL_PATH 64

/* Opens a pty: our end (read-write, non-blocking), the shell's end, and the path of the shell's end. Returns false, with errno, if that fails. */
bool open_terminal(int *ours, int *theirs, char path[TERMINAL_PATH]);
/* Whether the window has at least one row and one column. */
bool is_window(uint32_t window);
/* Sets the window size: rows in the low half, columns in the high half. The foreground group gets SIGWINCH. */
void set_window(int fd, uint32_t window);
/* Starts a new session with this as its controlling terminal. Returns false, with errno, if that fails. */
bool take_terminal(int fd);
