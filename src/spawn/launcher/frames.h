#pragma once
#include "launcher.h"

extern struct outbox { char *data; size_t at, len, room; } out; /* what the service has not taken yet */
extern struct inbox { char *data; size_t len, room; } in;       /* the start of a frame */

void put32(char *p, uint32_t v);
/* Room for a frame whose payload has at most `size` bytes; frame_done says how many it came to. */
char *frame_room(size_t size);
void frame_done(uint32_t run, uint8_t type, size_t size);
/* A frame of numbers. */
void answer(uint32_t run, uint8_t type, const int32_t *numbers, int count);
void send_out(void);
