import { mutantsOf } from './mutant.ts'

/** Faults in starting and ending commands: pool, spawn. */
export const spawnMutants = [
  ...mutantsOf('src/server/pool/pool.ts', [
    [
      'a refused start keeps its slot',
      'if (startedAt !== null) slots',
      'if (startedAt !== null && refused === 0) slots',
      'pool > child_process: a pool > endings',
    ],
    [
      'a closed pool accepts runs',
      'if (closing.signal.aborted)',
      'if (limits.maxRunning === 0)',
      'pool > child_process: a pool > close: refuses',
    ],
  ]),
  ...mutantsOf('src/server/pool/slots.ts', [
    [
      'an unbounded wait in the queue',
      'maxQueueWaitMs === null ? undefined : clock.startTimer(giveUp, maxQueueWaitMs)',
      'undefined',
      'pool > child_process: a pool > queue: first come',
    ],
    [
      'an unbounded queue',
      'if (mayTake(sharer, { own, taken: waiters.size, most: maxQueued })) return',
      'return',
      'pool > child_process: a pool > queue: first come',
    ],
    [
      'the last in the queue runs first',
      'for (const one of mayGo) if',
      'for (const one of mayGo.reverse()) if',
      'pool > child_process: a pool > queue: first come',
    ],
    [
      'a run that left the queue gets a slot',
      '      waiters.delete(waiter)\n',
      '',
      'pool > child_process: a pool > cancel: in the queue',
    ],
    [
      'the close does not wait for runs',
      'if (taken === 0) resolve()',
      'resolve()',
      'pool > child_process: a pool > close: refuses',
    ],
  ]),
  ...mutantsOf('src/server/pool/run-job.ts', [
    [
      'output is not drained after the exit',
      'await drain(ran.child, ran.output, rules, ran.deadline, ran.stop.told)',
      'await Promise.race([ran.child.closed.then(() => true), false])',
      'pool > child_process: a pool > endings',
    ],
    [
      'leftover processes keep running',
      'await child.end(rules.leftBehindGraceMs)',
      '{ ended: left.length, survivors: [] }',
      'pool > child_process: a pool > a background child that holds',
    ],
    [
      'a sink that throws leaves the run behind',
      'if (ended === null) await child.end(0)',
      'if (ended === null) void 0',
      'pool > child_process: a pool > a sink that throws',
    ],
    [
      "the spawner's deadline counts as a failure",
      "exit.timedOut ? 'timed_out' : ",
      '',
      'pool > launcher: a pool > deadline: kept by the spawner',
    ],
  ]),
  ...mutantsOf('src/server/pool/run-job.ts', [
    [
      'a run canceled before its start runs',
      '  if (signal.aborted) cancel()\n',
      '',
      'pool > child_process: a pool > cancel: in the queue',
    ],
  ]),
  ...mutantsOf('src/shared/async/clocks.ts', [
    [
      'a timeout above 24.8 days expires at once',
      'const MAX_TIMER_MS = 2 ** 31 - 1',
      'const MAX_TIMER_MS = 2 ** 40',
      'keys > a background command may be given a year',
    ],
  ]),
  ...mutantsOf('src/server/pool/collected-output.ts', [
    [
      'pipes are read while the sink waits',
      '      output.child?.pause()\n',
      '',
      'pool > child_process: a pool > a sink that takes its time',
    ],
    [
      'the tail loses wrapped bytes',
      '      kept.copy(ring, 0, beforeWrap)\n',
      '',
      'slow/pool > child_process: a pool > a flood is counted whole',
    ],
  ]),
  ...mutantsOf('src/server/spawn/tree.ts', [
    [
      'the group of a reaped shell gets a signal',
      '(tree.reaped && !blind) || tree.pid <= 1',
      'tree.pid <= 1',
      'spawn > a signal goes to the process that was seen',
    ],
    [
      'a signal reaches a process that reused the pid',
      'now?.start !== start || !now.alive',
      '!now?.alive',
      'spawn > a signal goes to the process that was seen',
    ],
    [
      'our own process group can get a signal',
      ' && seen.group !== getOwnGroup()',
      '',
      'spawn > a signal goes to the process that was seen',
    ],
    [
      'a process in the same session is not found',
      'sessions.has(seen.session) || ',
      '',
      'spawn > who belongs to a tree',
    ],
  ]),
  ...mutantsOf('src/server/spawn/child-process.ts', [
    ['a missing sandbox is not reported', '      refuseMore(request)\n', '', 'spawn > a start that the system refuses'],
    [
      'a signal after the exit is lost',
      'if (!tree.reaped) return signalGroup(tree, name)',
      'return signalGroup(tree, name)',
      'spawn > child_process: a named signal reaches whoever',
    ],
  ]),
  ...mutantsOf('src/server/spawn/end-tree.ts', [
    [
      'no SIGTERM before SIGKILL',
      'graceMs > 0 && (await',
      'graceMs > 1e9 && (await',
      'spawn > child_process: SIGTERM first',
    ],
    [
      'SIGKILL is never sent',
      "signalUntilGone(tree, 'SIGKILL',",
      "signalUntilGone(tree, 'SIGTERM',",
      'spawn > child_process: SIGTERM first',
    ],
  ]),
  ...mutantsOf('src/server/spawn/run-tool.ts', [
    [
      'the leftovers of a tool survive',
      '      killGroup(child)\n      const ending',
      '      const ending',
      'notifications > a tool of our own',
    ],
    [
      'a tool without a time limit',
      'setTimeout(kill, call.timeoutMs)',
      'setTimeout(() => {}, call.timeoutMs)',
      'notifications > a tool of our own',
    ],
    [
      'the output of a tool fills memory',
      'chunk.subarray(0, maxBytes - bytes)',
      'chunk',
      'notifications > a tool of our own',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher-watch.ts', [
    ['an unresponsive reaper is not killed', '() => killKeeper(answerer), ', '', 'launcher-faults > a deaf reaper'],
    [
      'a stopped launcher is not continued',
      '[proceed, proceed, ',
      '[',
      'launcher-faults > a launcher and a reaper that somebody stops',
    ],
    [
      'an unresponsive launcher is not killed',
      "  else slot!.link.signal('SIGKILL')\n",
      '',
      'launcher-faults > a launcher that is deaf is killed',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher.ts', [
    [
      'a message that nobody read is not requested again',
      'if (untaken && !launchers.isClosed()) return run.begin(await launchers.take())\n',
      '\n',
      'launcher-faults > a launcher that is deaf is killed',
    ],
    [
      'the leftovers of a dead launcher are not searched',
      '    if (!undertaken) await endMarked(mark)\n',
      '',
      'launcher-faults > nobody claims that all has ended',
    ],
    [
      'idle launchers are never stopped',
      '    for (const { link } of leaving) void link.close()\n',
      '',
      'launcher-faults > more runs than one launcher',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher-child.ts', [
    [
      'a run that may not have started is reported as failed',
      'toNote(this.#isStarted)',
      'toNote(true)',
      'launcher-faults > a launcher that dies with a request',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher-slots.ts', [
    [
      'idle reapers are never stopped',
      '      for (const slot of leaving) slot.sendAway()\n',
      '',
      'launcher > a reaper keeps one run',
    ],
  ]),
]
