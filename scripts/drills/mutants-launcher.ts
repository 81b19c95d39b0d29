import { mutantsOf } from './mutant.ts'

/** Faults of the launcher. */
export const launcherMutants = [
  ...mutantsOf('src/server/spawn/launcher/tree.c', [
    [
      'a signal reaches a process that reused the pid',
      ' && now.start == seen->start',
      '',
      'launcher-faults > a signal never reaches another process with the',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/shell.c', [
    [
      'the shell outlives its reaper',
      'prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != start->reaper',
      'getppid() != start->reaper',
      'launcher-faults > does not claim that all processes ended if',
    ],
    [
      "commands can read a reaper's memory",
      '  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);\n',
      '',
      'launcher-faults > no command reads the memory of the launcher or',
    ],
    [
      'the shell blocks signals',
      '  sigprocmask(SIG_SETMASK, &nothing, NULL);',
      ' ',
      'spawn > launcher: no signal is blocked',
    ],
    [
      'a command can raise its limit again',
      'now.rlim_max < wanted + (rlim_t)hard_extra ? now.rlim_max : wanted + (rlim_t)hard_extra',
      'now.rlim_max + 0 * (rlim_t)hard_extra',
      'launcher > enforces limits on a whole tree',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/main.c', [
    [
      'the launcher outlives the service',
      'if (polled[0].revents) owner_gone = true;',
      '',
      'launcher > no process of a run survives kill -9 of the',
    ],
    [
      'core dumps are not disabled',
      '  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});\n',
      '',
      'launcher-faults > no command leaves a core dump, whatever limits',
    ],
    [
      "commands can read the launcher's memory",
      '  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no command may trace us */\n',
      '',
      'launcher-faults > no command reads the memory of the launcher or',
    ],
    [
      'descriptors of the service reach commands',
      '  close_on_exec();\n',
      '  if (argc > 9) close_on_exec();\n',
      'sandbox > what each sandbox denies with Landlock ABI 6',
    ],
    [
      'a stopped reaper is not continued',
      'if (WIFSTOPPED(status)) kill(pid, SIGCONT);',
      'if (WIFSTOPPED(status)) continue;',
      'launcher > survives a command that attacks its reaper',
    ],
    [
      'the processes of a killed reaper survive',
      's->lost = strangers = true',
      'close_slot(s)',
      'launcher > survives a command that attacks its reaper',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/reaper.c', [
    [
      'a reaper outlives the launcher',
      '  prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);',
      ' ',
      'launcher > no process of a run survives kill -9 of the',
    ],
    [
      'orphans are not reparented to the reaper',
      '  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) _exit(NO_SUBREAPERS);\n',
      '',
      'launcher > whatever a process sheds',
    ],
    [
      'the next run gets limits that a command changed',
      ' || (*is_busy && !is_untouched(false))',
      '',
      'launcher > a reaper supervises one run after another',
    ],
    [
      'only the service enforces the deadline',
      'now >= run.time_up',
      'now >= INT64_MAX',
      'launcher-faults > enforces a deadline while the event loop is',
    ],
    [
      'the exit is reported before the last output',
      '    read_rest(&run.out, STDOUT);\n',
      '',
      'launcher > output written before the exit arrives before',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/orders.c', [
    [
      'the group of a reaped shell gets a signal',
      'if (!shell.reaped && (front <= 0',
      'if ((front <= 0',
      'launcher-faults > a signal never reaches another process with the',
    ],
    [
      'more credit than was sent is accepted',
      'number < 1 || (run.on && number > WINDOW - run.window)',
      'number < 1',
      'launcher > malformed input ends the launcher with one line',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/ending.c', [
    [
      'the group of a reaped shell gets a signal',
      'first && !shell.reaped && kill',
      'first && kill',
      'launcher-faults > a signal never reaches another process with the',
    ],
    [
      'SIGKILL is never sent',
      'begin_ending(SIGKILL, KILL_MS);\n  if (now < next)',
      'begin_ending(SIGTERM, KILL_MS);\n  if (now < next)',
      'spawn > launcher: sends SIGTERM first, and SIGKILL right after',
    ],
    [
      'processes that start during the kill survive',
      'sweep(ending, false) ? 1 : step',
      '0 ? 1 : step',
      'spawn > launcher: kills a tree of sessions that fork while it is',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/watch.c', [
    [
      'exceeding the limits of a whole tree has no effect',
      '  if (run.note) begin_ending(SIGKILL, KILL_MS);\n',
      '',
      'launcher > enforces limits on a whole tree',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/filter.c', [
    [
      'datagrams leave every sandbox',
      '  refuse_argument(SYS_socketpair, 1, 2, false, 2);',
      ' ',
      'sandbox > what each sandbox denies with Landlock ABI 6',
    ],
    [
      'a command in a read-only sandbox changes modes',
      'if (a->sandbox == BOX_READ_ONLY)',
      'if (a->sandbox == BOX_NONE)',
      'sandbox > what each sandbox denies with Landlock ABI 6',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher/sandbox.c', [
    [
      'a sandbox hides nothing',
      '  if (syscall(SYS_LANDLOCK_RESTRICT, mask_rules, 0) != 0) return false;\n',
      '',
      'sandbox > what each sandbox denies with Landlock ABI 6',
    ],
    [
      'root keeps its capabilities in a sandbox',
      'return drop_powers() &&',
      'return (a->sandbox != BOX_NONE || drop_powers()) &&',
      'sandbox > what each sandbox denies with Landlock ABI 6',
    ],
  ]),
]
