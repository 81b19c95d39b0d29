import { mutantsOf } from './mutant.ts'

/** Faults in starting and ending commands: pool, spawn. */
export const spawnMutants = [
  ...mutantsOf('src/server/pool/pool.ts', [
    [
      'a refused start keeps its slot',
      'if (startedAt !== null) slots',
      'if (startedAt !== null && refused === 0) slots',
      'pool > child_process: a pool > reports how a command ended',
    ],
    [
      'a closed pool accepts runs',
      'if (closing.signal.aborted)',
      'if (limits.maxRunning === 0)',
      'pool > child_process: a pool > close refuses new runs, cancels queued ones,',
    ],
  ]),
  ...mutantsOf('src/server/pool/slots.ts', [
    [
      'the wait in the queue is unbounded',
      'maxQueueWaitMs === null ? undefined : clock.startTimer(timeOut, maxQueueWaitMs)',
      'undefined',
      'pool > child_process: a pool > the queue is first come, first served,',
    ],
    [
      'an unbounded queue',
      'if (mayTake(sharer, { own, taken: waiters.size, most: maxQueued })) return',
      'return',
      'pool > child_process: a pool > the queue is first come, first served,',
    ],
    [
      'the last waiter is served first',
      'for (const waiter of eligible) if',
      'for (const waiter of eligible.reverse()) if',
      'pool > child_process: a pool > the queue is first come, first served,',
    ],
    [
      'a run that left the queue gets a slot',
      '      waiters.delete(waiter)\n',
      '',
      'pool > child_process: a pool > cancels a run in the queue, while',
    ],
    [
      'closing does not wait for runs',
      'if (taken === 0) resolve()',
      'resolve()',
      'pool > child_process: a pool > close refuses new runs, cancels queued ones,',
    ],
  ]),
  ...mutantsOf('src/server/pool/run-job.ts', [
    [
      'the output is not drained after the exit',
      'await drain(job.child, job.output, rules, job.deadline, job.stop.requested)',
      'await Promise.race([ran.child.closed.then(() => true), false])',
      'pool > child_process: a pool > reports how a command ended',
    ],
    [
      'leftover processes keep running',
      'await child.end(rules.leftBehindGraceMs)',
      '{ ended: left.length, survivors: [] }',
      'pool > child_process: a pool > a background process that holds the pipes',
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
      'pool > launcher: a pool > the spawner enforces the deadline without',
    ],
  ]),
  ...mutantsOf('src/server/pool/run-job.ts', [
    [
      'a run canceled before its start runs',
      '  if (signal.aborted) cancel()\n',
      '',
      'pool > child_process: a pool > cancels a run in the queue, while',
    ],
  ]),
  ...mutantsOf('src/shared/async/clocks.ts', [
    [
      'a timeout above 24.8 days expires at once',
      'const MAX_TIMER_MS = 2 ** 31 - 1',
      'const MAX_TIMER_MS = 2 ** 40',
      'keys > accepts a timeout of a year for',
    ],
  ]),
  ...mutantsOf('src/server/pool/collected-output.ts', [
    [
      'pipes are read while the sink waits',
      '      output.child?.pause()\n',
      '',
      'pool > child_process: a pool > a slow sink slows the command and loses no output',
    ],
    [
      'the tail loses output that wraps around',
      '      last.copy(ring, 0, beforeWrap)\n',
      '',
      'slow/pool > child_process: a pool > counts a flood completely',
    ],
  ]),
  ...mutantsOf('src/server/spawn/tree.ts', [
    [
      'the group of a reaped shell gets a signal',
      '(tree.reaped && !blind) || tree.pid <= 1',
      'tree.pid <= 1',
      'spawn > a signal never reaches another process with the',
    ],
    [
      'a signal reaches a process that reused the pid',
      'now?.start !== start || !now.alive',
      '!now?.alive',
      'spawn > a signal never reaches another process with the',
    ],
    [
      'our own process group can get a signal',
      ' && seen.group !== getOwnGroup()',
      '',
      'spawn > a signal never reaches another process with the',
    ],
    [
      'a process in the same session is not found',
      'sessions.has(seen.session) || ',
      '',
      'spawn > decides which processes belong to a tree',
    ],
  ]),
  ...mutantsOf('src/server/spawn/child-process.ts', [
    [
      'a missing sandbox is not reported',
      '      refuseMore(request)\n',
      '',
      'spawn > rejects if the system refuses the start or only',
    ],
    [
      'a signal after the exit is lost',
      'if (!tree.reaped) return signalGroup(tree, name)',
      'return signalGroup(tree, name)',
      'spawn > child_process: a named signal reaches processes that the',
    ],
  ]),
  ...mutantsOf('src/server/spawn/end-tree.ts', [
    [
      'no SIGTERM before SIGKILL',
      'graceMs > 0 && (await',
      'graceMs > 1e9 && (await',
      'spawn > child_process: sends SIGTERM first, and SIGKILL right after',
    ],
    [
      'SIGKILL is never sent',
      "signalUntilGone(tree, 'SIGKILL',",
      "signalUntilGone(tree, 'SIGTERM',",
      'spawn > child_process: sends SIGTERM first, and SIGKILL right after',
    ],
  ]),
  ...mutantsOf('src/server/spawn/run-tool.ts', [
    [
      'the leftovers of a tool survive',
      '      killGroup(child)\n      const ending',
      '      const ending',
      'notifications > runs the owner',
    ],
    [
      'a tool without a time limit',
      'setTimeout(kill, call.timeoutMs)',
      'setTimeout(() => {}, call.timeoutMs)',
      'notifications > runs the owner',
    ],
    ['a tool fills memory', 'chunk.subarray(0, maxBytes - bytes)', 'chunk', 'notifications > runs the owner'],
  ]),
  ...mutantsOf('src/server/spawn/launcher-watch.ts', [
    [
      'an unresponsive reaper is not killed',
      '() => killKeeper(answerer), ',
      '',
      'launcher-faults > kills a reaper that does not respond, or',
    ],
    [
      'a stopped launcher is not continued',
      '[proceed, proceed, ',
      '[',
      'launcher-faults > resumes a stopped launcher and a stopped reaper',
    ],
    [
      'an unresponsive launcher is not killed',
      "  else slot!.link.signal('SIGKILL')\n",
      '',
      'launcher-faults > kills and replaces a launcher that does not',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher.ts', [
    [
      'an unread message is not requested again',
      'if (untaken && !launchers.isClosed()) return run.begin(await launchers.take())\n',
      '\n',
      'launcher-faults > kills and replaces a launcher that does not',
    ],
    [
      'the leftovers of a dead launcher are not searched',
      '    if (!undertaken) await endMarked(mark)\n',
      '',
      'launcher-faults > does not claim that all processes ended if',
    ],
    [
      'idle launchers are never stopped',
      '    for (const { link } of leaving) void link.close()\n',
      '',
      'launcher-faults > starts another launcher for more runs than one',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher-child.ts', [
    [
      'a run that may not have started is reported as failed',
      'toNote(this.#isStarted)',
      'toNote(true)',
      'launcher-faults > reports that a command may have run if the',
    ],
  ]),
  ...mutantsOf('src/server/spawn/launcher-slots.ts', [
    [
      'idle reapers are never stopped',
      '      for (const slot of leaving) slot.sendAway()\n',
      '',
      'launcher > a reaper supervises one run after another',
    ],
  ]),
]
