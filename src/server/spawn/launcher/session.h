#pragma once
#include "launcher.h"

#define MAX_NONCE 64

/* Creates the file for a shell's state: the nonce, the length of the state, and the state, at most MAX_STATE bytes altogether. -1: errno. */
int make_state(const char *nonce);
/* Sends the state that the shell's EXIT trap has written, if it has written one, and closes the file. */
void send_state(int *fd);
/* The program of the EXIT trap: writes this process's directory and environment to `fd` if that is the file with this nonce and `shell` runs it. */
int save_state(const char *fd, const char *nonce, const char *shell);
