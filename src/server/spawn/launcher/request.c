/* request: parses the payload of a SPAWN frame. */
#include "request.h"
#include "frames.h"
#include "session.h"
#include <stdlib.h>
#include <string.h>

static int64_t get64(const char *p) {
  return (int64_t)(get32(p) | (uint64_t)get32(p + 4) << 32);
}

struct cursor { const char *at, *end; };

static bool take_list(struct cursor *c, uint32_t count, uint32_t most, bool absolute, char ***list) {
  if (count > most) return false;
  *list = more(NULL, (count + 1) * sizeof **list);
  (*list)[count] = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (c->end - c->at < 4) return (*list)[i] = NULL, false;
    size_t size = get32(c->at);
    const char *text = c->at + 4;
    if (size < 1 || size > (size_t)(c->end - text) || strnlen(text, size) != size - 1 || (absolute && *text != '/')) {
      return (*list)[i] = NULL, false;
    }
    (*list)[i] = (char *)text;
    c->at = text + size;
  }
  return true;
}

const char *read_request(const char *payload, size_t size, struct request *a) {
  const char *counts = payload + 8 + 8 * (LIMITS + 2);
  struct cursor c = {counts + 20, payload + size};
  *a = (struct request){0};
  if (size < 8 + 8 * (LIMITS + 2) + 20) return "spawn: too short";
  a->stdin_pipe = (uint8_t)payload[0], a->sandbox = (uint8_t)payload[1], a->network = (uint8_t)payload[2];
  if (a->stdin_pipe > 1 || a->sandbox > BOX_WORKSPACE_WRITE || a->network > 1 || payload[3]) return "spawn: unknown flags";
  for (int i = 0; i < LIMITS; i++) {
    a->limit[i] = get64(payload + 4 + 8 * i);
    if (a->limit[i] != NONE && (a->limit[i] < -1000 || (a->limit[i] < 0 && i < LIMIT_NICE))) return "spawn: a limit out of range";
  }
  a->time_ms = get64(payload + 4 + 8 * LIMITS), a->grace_ms = get64(payload + 12 + 8 * LIMITS);
  if (a->time_ms != NONE && (a->time_ms < 0 || a->time_ms > MAX_MS || a->grace_ms < 0 || a->grace_ms > MAX_MS)) return "spawn: a deadline out of range";
  a->window = get32(counts - 4);
  if (a->window && !is_window(a->window)) return "spawn: a window without rows or columns";
  bool read = take_list(&c, 1, 1, true, &a->cwd) && take_list(&c, get32(counts), MAX_STRINGS, false, &a->argv) &&
              take_list(&c, get32(counts + 4), MAX_STRINGS, false, &a->envp) &&
              take_list(&c, get32(counts + 8), MAX_FOLDERS, true, &a->writable) && take_list(&c, get32(counts + 12), MAX_FOLDERS, true, &a->hidden) &&
              take_list(&c, get32(counts + 16), 1, false, &a->nonce);
  if (read && a->nonce[0] && (!a->nonce[0][0] || strlen(a->nonce[0]) > MAX_NONCE)) return "spawn: a nonce out of range";
  return read && c.at == c.end && a->argv[0] && a->argv[0][0] == '/' ? NULL : "spawn: malformed lists";
}

void free_request(struct request *a) {
  free(a->cwd), free(a->argv), free(a->envp), free(a->writable), free(a->hidden), free(a->nonce);
}
