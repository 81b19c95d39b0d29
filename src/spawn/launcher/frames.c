/* frames: bytes on their way to and from the service. */
#include "frames.h"
#include <string.h>
#include <sys/socket.h>

struct outbox out; /* what the service has not taken yet */
struct inbox in;     /* the start of a frame */

void put32(char *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (char)(v >> 8 * i);
}

/* Room for a frame whose payload has at most `size` bytes; frame_done says how many it came to. */
char *frame_room(size_t size) {
  if (out.at == out.len) out.at = out.len = 0;
  if (out.len + HEADER + size > out.room) {
    out.len -= out.at;
    if (out.len) memmove(out.data, out.data + out.at, out.len);
    out.at = 0;
    if (out.len + HEADER + size > out.room) out.data = more(out.data, out.room = out.len + HEADER + size + OUT_HIGH);
  }
  return out.data + out.len + HEADER;
}

void frame_done(uint32_t run, uint8_t type, size_t size) {
  char *p = out.data + out.len;
  put32(p, (uint32_t)size);
  put32(p + 4, run);
  put32(p + 8, type);
  out.len += HEADER + size;
}

void answer(uint32_t run, uint8_t type, const int32_t *numbers, int count) {
  char *p = frame_room((size_t)count * 4);
  for (int i = 0; i < count; i++) put32(p + 4 * i, (uint32_t)numbers[i]);
  frame_done(run, type, (size_t)count * 4);
}

void send_out(void) {
  while (out.at < out.len) {
    ssize_t n = send(SERVICE, out.data + out.at, out.len - out.at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) out.at += (size_t)n;
    else if (errno != EINTR) return; /* full; or gone, which reading tells */
  }
}
