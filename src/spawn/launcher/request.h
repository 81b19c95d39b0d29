#pragma once
#include "launcher.h"

/* What a SPAWN frame asks for. The pointers lead into the frame. */
struct request {
  uint8_t stdin_pipe, box, network;
  int64_t limit[LIMITS];
  char **cwd, **argv, **envp, **writable, **hidden; /* each ends with NULL; of directories cwd holds one */
};

uint32_t get32(const char *p);
/* The pointers lead into the payload. NULL, or what is wrong with it; free_request it in either case. */
const char *read_request(const char *payload, size_t size, struct request *a);
void free_request(struct request *a);
