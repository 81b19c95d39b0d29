#pragma once
#include "request.h"

extern int landlock_abi; /* 0: off or none; LANDLOCK_KILLS: a Landlock call kills the process */
extern bool has_seccomp;

/* Probes the kernel in a child, because Android's own filter may kill it. */
void probe_boxes(void);
/* The Landlock half of a sandbox, as a descriptor; -1: not available. */
int make_rules(struct request *a);
/* Puts this process into the sandbox permanently. Call it between fork and exec. */
bool enter_sandbox(const struct request *a, int rules);

/* filter.c: applies the seccomp half permanently; 0, or -1 with errno. */
int filter_calls(const struct request *a);
/* Whether seccomp filters work. Call it in a child: it installs one. */
bool can_filter(void);
