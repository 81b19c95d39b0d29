import { mutantsOf } from './mutant.ts'

/** Faults in runs: exec, policy. */
export const execMutants = [
  ...mutantsOf('src/server/exec/run-in-pool.ts', [
    [
      "another user's temporary folder is used",
      'if (uid !== process.getuid?.()) throw',
      'if (uid === -1) throw',
      'keys > ends the run if it cannot create',
    ],
    [
      'the temporary folder is not removed',
      '    if (temporary) await rm(temporary, { recursive: true, force: true })',
      "    await rm('/nonexistent')",
      'sandboxed > gives a sandboxed command a temporary folder',
    ],
  ]),
  ...mutantsOf('src/server/exec/run.ts', [
    [
      'a client that disconnects in the queue is not noticed',
      '    if (gone.aborted) return leave()\n',
      '',
      'prepare > cancels a run when its last waiting',
    ],
    [
      'a run with a key ends with its client',
      ' || this.key !== undefined',
      '',
      'doors > a run with a key continues without',
    ],
  ]),
  ...mutantsOf('src/server/exec/executor.ts', [
    [
      'stopping does not wait for records',
      '  await Promise.allSettled([...live.values()].map((run) => run.finished))\n',
      '',
      'stop > records a file transfer that the stop',
    ],
    [
      'an unbounded number of requests',
      'if (mayTake(sharerOf(who), { own, taken, most: MAX_LIVE_BYTES })) return',
      'return',
      'ws > bounds the memory of the requests of all',
    ],
  ]),
  ...mutantsOf('src/server/exec/keyed.ts', [
    [
      'a key is not released after POOL_FULL',
      'error instanceof ShellphoneError) keys',
      "error instanceof ShellphoneError && error.code !== 'POOL_FULL') keys",
      'exec > limits the FIFO queue in number and',
    ],
    [
      "a key finds another token's run",
      'id === OWNER.id ? key : `${id}/${key}`',
      'id === OWNER.id ? key : `${key}`',
      'tokens > an Idempotency-Key belongs to its token',
    ],
  ]),
  ...mutantsOf('src/server/exec/to-command.ts', [
    [
      'the sandbox floor has no effect',
      '  if (settings.sandbox_floor) checkFloor(name, network, settings)\n',
      '',
      'sandboxed > with sandbox_floor, requests can only get a',
    ],
  ]),
  ...mutantsOf('src/server/exec/environment.ts', [
    [
      "the service's own token reaches commands",
      ' || never.test(name)) continue',
      ') continue',
      'prepare > sets the environment of commands',
    ],
    [
      'names that can hijack the shell are accepted',
      "  if (isRefused(name)) return 'refused: this name can hijack the shell or the loader'\n",
      '',
      'prepare > rejects variables that can hijack the shell',
    ],
  ]),
  ...mutantsOf('src/server/exec/as-judged.ts', [
    [
      'an approval covers a directory that was replaced',
      'commandContext.realpath(command.cwd) !== command.cwd',
      'false',
      'exec/approvals > an approval covers only the directory',
    ],
    [
      'an approval covers a script that was changed',
      'if (!isChanged(decision.scripts)) return decision',
      'return decision',
      'exec/approvals > an approval covers only the script',
    ],
  ]),
  ...mutantsOf('src/server/exec/hourly-limits.ts', [
    ['hourly limits have no effect', '        counters.set(counter, state)\n', '', 'joined > counts a dialect'],
  ]),
  ...mutantsOf('src/server/exec/stricter.ts', [
    [
      'the looser of two decisions wins',
      'strictness[b.verdict] > strictness[a.verdict] ? b : a',
      'strictness[b.verdict] > strictness[a.verdict] ? a : b',
      'tokens > a token’s preset',
    ],
  ]),
  ...mutantsOf('src/server/exec/lookups.ts', [
    [
      'a check reads a hidden script',
      'if (isHidden(readlinkSync',
      'if (!isHidden && (readlinkSync',
      'security > judging a script file reveals nothing about a hidden one',
    ],
  ]),
  ...mutantsOf('src/server/exec/record.ts', [
    [
      'artifacts show hidden files',
      '!hidden.some((root) => isWithin({ path, root }))',
      'hidden.length >= 0 || path',
      'exec/approvals > artifacts of a sandboxed',
    ],
  ]),
  ...mutantsOf('src/server/exec/terminal.ts', [
    [
      "a token that reads all runs writes to another's stdin",
      "who.approves === 'all'",
      "who.read === 'all'",
      'tokens > a token that may read all runs cannot write to',
    ],
  ]),
  ...mutantsOf('src/server/exec/seen-by.ts', [
    [
      "a token reads another token's scratchpad",
      'executor.scratchpad(pad, who)',
      'executor.scratchpad(pad)',
      'tokens > finds a scratchpad only among the runs of its',
    ],
    [
      "a token cancels another's run",
      '    cancel: async (id, why) => executor.cancel(await own(id), why),\n',
      '',
      'tokens > a token that may read only its own runs does',
    ],
    [
      "a token lists others' runs",
      'executor.list({ ...query, matches: isIts })',
      'executor.list(query)',
      'tokens > a token that may read only its own runs does',
    ],
  ]),
  ...mutantsOf('src/server/policy/decide.ts', [
    ['the loosest guard wins', 'difference > 0 ||', 'difference < 0 ||', 'policy > a decision lists'],
    [
      'a command that a guard cannot analyse is allowed',
      "{ ...silent, verdict: 'deny', risk: 'high', rule: 'opaque'",
      "{ ...silent, verdict: 'allow', risk: 'high', rule: 'opaque'",
      'policy > denies a script that a guard cannot finish',
    ],
    [
      'stdin of a script is not read',
      "{ from: 'request', text: stdin.text }",
      "{ from: 'request', text: null }",
      'policy > judges stdin, environment and script files',
    ],
  ]),
  ...mutantsOf('src/server/policy/rate.ts', [
    [
      'the hourly window never ends',
      'at > nowMs - HOUR_MS && at <= nowMs',
      'at <= nowMs',
      'policy > the rate limit slides',
    ],
    [
      'a denied action counts',
      '      state: recent,\n',
      '      state: [...recent, nowMs],\n',
      'policy > the rate limit slides',
    ],
  ]),
]
