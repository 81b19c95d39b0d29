#pragma once
#include "launcher.h"

/* The socket to the service. */
extern struct channel {
  int fd;
  struct { char *data; size_t at, len, room; } out; /* not sent yet */
  struct { char *data; size_t len, room; } in;      /* received, not processed yet */
} channel;

struct frame { uint8_t type; char *payload; size_t size; };

uint32_t get32(const char *p);
void put32(char *p, uint32_t v);

/* Reserves space for a frame with a payload of at most `size` bytes; frame_done() sets the actual size. */
char *frame_room(size_t size);
void frame_done(uint8_t type, size_t size);
/* Queues a frame of numbers. */
void send_frame(uint8_t type, const int32_t *numbers, int count);
/* Sends as much as the socket accepts now. */
void send_out(void);
/* Reads what is available; false if the service has closed its end. */
bool receive(void);
/* Parses the frame at offset `at` of the input and advances `at`. 1: a frame; 0: incomplete; -1: malformed. */
int next_frame(size_t *at, struct frame *f);
/* Discards the input before `at`. */
void drop_input(size_t at);
