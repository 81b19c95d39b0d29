#pragma once
#include "request.h"

extern int landlock_abi; /* 0: off or none; LANDLOCK_KILLS: whoever asks is killed */
extern bool has_seccomp;

/* Asks the kernel in a child, which Android's own filter may kill for it. */
void probe_boxes(void);
/* The Landlock half of a box, as a descriptor; -1: it cannot be had. */
int make_rules(struct request *a);
/* Puts this process into the box, for good. Called between fork and exec. */
bool enter_box(const struct request *a, int rules);

/* filter.c: the seccomp half, for good; 0, or -1 with errno. */
int filter_calls(const struct request *a);
/* Are there filters here? Asked in a child, since the answer is one. */
bool can_filter(void);
