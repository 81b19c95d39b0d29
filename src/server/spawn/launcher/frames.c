/* frames: buffers, sends and receives frames. */
#include "frames.h"
#include <string.h>
#include <sys/socket.h>

struct channel channel = {.fd = -1};

uint32_t get32(const char *p) {
  const uint8_t *b = (const uint8_t *)p;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

void put32(char *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (char)(v >> 8 * i);
}

char *frame_room(size_t size) {
  if (channel.out.at && channel.out.len + HEADER + size > channel.out.room) {
    memmove(channel.out.data, channel.out.data + channel.out.at, channel.out.len -= channel.out.at);
    channel.out.at = 0;
  }
  size_t want = channel.out.len + HEADER + size;
  if (want > channel.out.room) channel.out.data = more(channel.out.data, channel.out.room = want + PIECE);
  return channel.out.data + channel.out.len + HEADER;
}

void frame_done(uint8_t type, size_t size) {
  char *p = channel.out.data + channel.out.len;
  put32(p, (uint32_t)size);
  put32(p + 4, type);
  channel.out.len += HEADER + size;
}

void send_frame(uint8_t type, const int32_t *numbers, int count) {
  char *p = frame_room((size_t)count * 4);
  for (int i = 0; i < count; i++) put32(p + 4 * i, (uint32_t)numbers[i]);
  frame_done(type, (size_t)count * 4);
}

void send_out(void) {
  while (channel.out.at < channel.out.len) {
    ssize_t n = send(channel.fd, channel.out.data + channel.out.at, channel.out.len - channel.out.at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) channel.out.at += (size_t)n;
    else if (errno != EINTR) return; /* the socket is full, or closed, which the next read reports */
  }
  channel.out.at = channel.out.len = 0;
}

bool receive(void) {
  size_t want = channel.in.len >= HEADER && get32(channel.in.data) <= MAX_FRAME ? HEADER + get32(channel.in.data) : 0;
  if (want < channel.in.len + PIECE) want = channel.in.len + PIECE;
  if (want > channel.in.room || channel.in.room > want + 4 * PIECE) channel.in.data = more(channel.in.data, channel.in.room = want);
  ssize_t n = recv(channel.fd, channel.in.data + channel.in.len, channel.in.room - channel.in.len, MSG_DONTWAIT);
  if (n > 0) channel.in.len += (size_t)n;
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

int next_frame(size_t *at, struct frame *f) {
  char *p = channel.in.data + *at;
  size_t left = channel.in.len - *at;
  if (left < HEADER) return 0;
  size_t size = get32(p);
  if (size > MAX_FRAME || p[5] || p[6] || p[7]) return -1;
  if (left < HEADER + size) return 0;
  *f = (struct frame){(uint8_t)p[4], p + HEADER, size};
  *at += HEADER + size;
  return 1;
}

void drop_input(size_t at) {
  memmove(channel.in.data, channel.in.data + at, channel.in.len -= at);
}
