#pragma once
#include "terminal.h"

#define MAX_MS (INT64_C(1) << 40) /* longest deadline */

/* The contents of a SPAWN frame. The pointers refer to the frame. */
struct request {
  uint8_t stdin_pipe, sandbox, network;
  uint32_t window;                                  /* window size of its terminal, as for set_window(); 0: no terminal */
  char terminal[TERMINAL_PATH];                     /* path of the terminal, once it is open */
  int64_t limit[LIMITS];
  int64_t time_ms, grace_ms;                        /* time until the tree is killed, and from then until SIGKILL; NONE: never */
  char **cwd, **argv, **envp, **writable, **hidden, **nonce; /* each ends with NULL; cwd holds one directory, nonce that of the session's state, if any */
};

/* Returns NULL, or what is wrong with the payload. Call free_request() in either case. */
const char *read_request(const char *payload, size_t size, struct request *a);
void free_request(struct request *a);
