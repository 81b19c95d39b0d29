#pragma once
#include "terminal.h"

#define MAX_MS (INT64_C(1) << 40) /* of a deadline */

/* What a SPAWN frame asks for. The pointers lead into the frame. */
struct request {
  uint8_t stdin_pipe, box, network;
  uint32_t window;                                  /* of its terminal, as set_window takes it; 0: it has none */
  char terminal[TERMINAL_PATH];                     /* the path of that, once it is open */
  int64_t limit[LIMITS];
  int64_t time_ms, grace_ms;                        /* the tree is ended after so long, SIGKILL comes so much later; NONE: never */
  char **cwd, **argv, **envp, **writable, **hidden; /* each ends with NULL; of directories cwd holds one */
};

/* NULL, or what is wrong with the payload; free_request it in either case. */
const char *read_request(const char *payload, size_t size, struct request *a);
void free_request(struct request *a);
