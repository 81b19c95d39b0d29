#pragma once
#include "launcher.h"

#define TERMINAL_PATH 64

/* Opens a pty: our end (for reading and writing, never waiting) and the shell's, and the path of the latter. False, with errno, where there is none to be had. */
bool open_terminal(int *ours, int *theirs, char path[TERMINAL_PATH]);
/* Has it rows and columns? */
bool is_window(uint32_t window);
/* Rows in the low half, columns in the high one; whoever has it in the foreground gets SIGWINCH. */
void set_window(int fd, uint32_t window);
/* What a program that starts in it would miss: the terminal as the controlling one of a session of its own. False with errno. */
bool take_terminal(int fd);
