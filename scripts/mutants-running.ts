import { mutantsOf } from './mutants.ts'

/** Faults of what runs commands: pool, spawn, and the launcher. */
export const runningMutants = [
  ...mutantsOf(
    'src/pool/pool.ts',
    ['pool'],
    [
      [
        'a queue wait without bound',
        'maxQueueWaitMs === null ? undefined : setTimeout(giveUp, maxQueueWaitMs)',
        'undefined',
      ],
      ['a queue without bound', 'if (taken < maxRunning || waiters.size < maxQueued) return', 'return'],
      [
        'a refused start keeps its slot',
        'if (startedAt !== null) slots',
        'if (startedAt !== null && refused === 0) slots',
      ],
      ['who came last is served first', 'const [first] = waiters', 'const first = [...waiters].at(-1)'],
      ['who has left the queue still gets a slot', '        waiters.delete(settle)\n', ''],
      ['a closed pool takes runs', 'if (closing.aborted) throw', 'if (limits.maxRunning === 0) throw'],
      ['a close that does not wait for runs', 'if (taken === 0) resolve()', 'resolve()'],
    ],
  ),
  ...mutantsOf(
    'src/pool/run.ts',
    ['pool'],
    [
      [
        'no drain after the exit',
        'await drain(ran.child, ran.output, rules.drainMs, ran.deadline, ran.stop.told)',
        'await Promise.race([ran.child.closed.then(() => true), false])',
      ],
      [
        'what is left behind runs on',
        'await child.end(rules.leftBehindGraceMs)',
        '{ ended: left.length, survivors: [] }',
      ],
      [
        'a sink that throws leaves the run behind',
        'if (ended === null) await child.end(0)',
        'if (ended === null) void 0',
      ],
      ['the deadline of the spawner counts as a failure', "exit.timedOut ? 'timed_out' : ", ''],
    ],
  ),
  ...mutantsOf(
    'src/pool/run.ts',
    ['pool'],
    [['a run that was cancelled before its start goes on', '  if (signal.aborted) cancel()\n', '']],
  ),
  ...mutantsOf(
    'src/pool/run.ts',
    ['keys'],
    [['a time above 24.8 days is over at once', 'Math.min(leftMs, MAX_TIMER_MS)', 'leftMs']],
  ),
  ...mutantsOf(
    'src/pool/output.ts',
    ['pool'],
    [
      ['pipes are read on while the sink waits', '      child?.pause()\n', ''],
      ['the tail loses what wraps around', '      kept.copy(ring, 0, beforeWrap)\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/spawn/tree.ts',
    ['spawn'],
    [
      ['the group of a reaped shell is signalled', '(tree.reaped && !blind) || tree.pid <= 1', 'tree.pid <= 1'],
      ['whoever has the pid now is signalled', 'now?.start !== start || !now.alive', '!now?.alive'],
      ['our own group may be signalled', ' && seen.group !== getOwnGroup()', ''],
      ['who shares a session is not found', 'sessions.has(seen.session) || ', ''],
    ],
  ),
  ...mutantsOf(
    'src/spawn/child-process.ts',
    ['spawn'],
    [
      ['a box that is silently none', '      refuseSandbox(request)\n', ''],
      [
        'a signal after the exit goes to nobody',
        'if (!tree.reaped) return signalGroup(tree, name)',
        'return signalGroup(tree, name)',
      ],
    ],
  ),
  ...mutantsOf(
    'src/spawn/end-tree.ts',
    ['spawn'],
    [
      ['no SIGTERM before SIGKILL', 'graceMs > 0 && (await', 'graceMs > 1e9 && (await'],
      ['SIGKILL never comes', "signalUntilGone(tree, 'SIGKILL',", "signalUntilGone(tree, 'SIGTERM',"],
    ],
  ),
  ...mutantsOf(
    'src/spawn/run-tool.ts',
    ['notifications'],
    [
      ['what a tool leaves lives on', '      killGroup(child)\n      const ending', '      const ending'],
      ['a tool without a time limit', 'setTimeout(kill, call.timeoutMs)', 'setTimeout(() => {}, call.timeoutMs)'],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher-slots.ts',
    ['launcher-faults'],
    [
      ['deaf keepers are not killed', '    () => killReaper(reaper(), slot()!),\n', ''],
      ['a stopped launcher is not continued', "    () => slot()?.link.signal('SIGCONT'),\n", ''],
      ['a deaf launcher is not killed', "    () => slot()?.link.signal('SIGKILL'),\n", ''],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher.ts',
    ['launcher-faults'],
    [
      ['what nobody read is not asked again', 'if (untaken && !isClosed) return run.begin(await take())\n', '\n'],
      ['what a dead launcher left is not looked for', '    if (!undertaken) await endMarked(mark)\n', ''],
      ['launchers that rest are kept for ever', '      idle.link.close()\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher-run.ts',
    ['launcher-faults', 'keys'],
    [
      [
        'a run that nobody saw begin is said to have failed',
        "isStarted ? '' : '; it is not known whether it ran'",
        "''",
      ],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher-slots.ts',
    ['launcher-faults', 'launcher'],
    [['keepers that rest are never sent away', '        slot.send(toFrame(ask.leave))\n', '']],
  ),
  ...mutantsOf(
    'src/spawn/launcher/tree.c',
    ['launcher-faults'],
    [['whoever has the pid now is signalled', ' && now.start == seen->start', '']],
  ),
  ...mutantsOf(
    'src/spawn/launcher/shell.c',
    ['launcher-faults', 'launcher', 'spawn'],
    [
      [
        'the shell outlives its keeper',
        'prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != start->reaper',
        'getppid() != start->reaper',
      ],
      ['the shell blocks signals', '  sigprocmask(SIG_SETMASK, &nothing, NULL);', ' '],
      [
        'a limit that can be raised again',
        'now.rlim_max < wanted + (rlim_t)hard_extra ? now.rlim_max : wanted + (rlim_t)hard_extra',
        'now.rlim_max + 0 * (rlim_t)hard_extra',
      ],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher/main.c',
    ['launcher-faults', 'launcher'],
    [
      ['the launcher outlives the service', 'if (polled[0].revents) owner_gone = true;', ''],
      ['core dumps are not off', '  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});\n', ''],
      ['descriptors of the service reach commands', '  close_on_exec();\n', '  if (argc > 9) close_on_exec();\n'],
      [
        'a keeper that was stopped stays so',
        'if (WIFSTOPPED(status)) kill(pid, SIGCONT);',
        'if (WIFSTOPPED(status)) continue;',
      ],
      ['what a killed keeper left lives on', 's->lost = strangers = true', 'close_slot(s)'],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher/reaper.c',
    ['launcher-faults', 'launcher'],
    [
      ['a keeper outlives the launcher', '  prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);', ' '],
      [
        'orphans do not come to the keeper',
        '  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) _exit(NO_SUBREAPERS);\n',
        '',
      ],
      ['the next run has limits that a command changed', ' || (*is_busy && !is_untouched(false))', ''],
      ['the deadline hangs on the service alone', 'now >= run.time_up', 'now >= INT64_MAX'],
      ['the exit overtakes the output', '    read_rest(&run.out, STDOUT);\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher/orders.c',
    ['launcher-faults', 'launcher'],
    [
      [
        'the group of a reaped shell is signalled',
        'if (!shell.reaped) kill(-shell.pid, number);\n  else if (look',
        'kill(-shell.pid, number);\n  if (shell.reaped && look',
      ],
      ['more credit than was sent', 'number < 1 || (run.on && number > WINDOW - run.window)', 'number < 1'],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher/ending.c',
    ['launcher-faults', 'spawn'],
    [
      ['the group of a reaped shell is signalled', 'first && !shell.reaped && kill', 'first && kill'],
      [
        'SIGKILL never comes',
        'begin_ending(SIGKILL, KILL_MS);\n  if (now < next)',
        'begin_ending(SIGTERM, KILL_MS);\n  if (now < next)',
      ],
      ['who is born meanwhile lives on', 'sweep(ending, false) ? 1 : step', '0 ? 1 : step'],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher/watch.c',
    ['launcher'],
    [['limits of a whole tree end nothing', '  if (run.note) begin_ending(SIGKILL, KILL_MS);\n', '']],
  ),
  ...mutantsOf(
    'src/spawn/launcher/filter.c',
    ['sandbox'],
    [
      ['datagrams leave every box', '  refuse_argument(SYS_socketpair, 1, 2, false, 2);', ' '],
      ['a read-only box changes modes', 'if (a->box == BOX_READ_ONLY)', 'if (a->box == BOX_NONE)'],
    ],
  ),
  ...mutantsOf(
    'src/spawn/launcher/box.c',
    ['sandbox'],
    [
      ['a box hides nothing', '  if (syscall(SYS_LANDLOCK_RESTRICT, mask_rules, 0) != 0) return false;\n', ''],
      ['root keeps its powers in a box', 'return drop_powers() &&', 'return (a->box != BOX_NONE || drop_powers()) &&'],
    ],
  ),
]
