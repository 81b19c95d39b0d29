#pragma once
#include "launcher.h"

/* The socket that this process talks to the service by. */
extern struct channel {
  int fd;
  struct { char *data; size_t at, len, room; } out; /* what the service has not taken yet */
  struct { char *data; size_t len, room; } in;      /* the start of a frame */
} channel;

struct frame { uint8_t type; char *payload; size_t size; };

uint32_t get32(const char *p);
void put32(char *p, uint32_t v);

/* Room for a frame whose payload has at most `size` bytes; frame_done says how many it came to. */
char *frame_room(size_t size);
void frame_done(uint8_t type, size_t size);
/* A frame of numbers. */
void tell(uint8_t type, const int32_t *numbers, int count);
/* Sends as much as the service takes now. */
void send_out(void);
/* Reads what is there; false when the service has closed its end. */
bool receive(void);
/* The whole frame at `at` of what was received: 1; 0: there is none yet; -1: it is malformed. `at` moves on. */
int next_frame(size_t *at, struct frame *f);
/* Forgets what was received before `at`. */
void drop_input(size_t at);
