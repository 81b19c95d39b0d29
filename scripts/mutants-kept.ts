import { mutantsOf } from './mutants.ts'

/** Faults of what is kept and what a run is: store, exec, host. */
export const keptMutants = [
  ...mutantsOf(
    'src/exec/run-in-pool.ts',
    ['keys'],
    [["another user's temporary folder is used", 'if (uid !== process.getuid?.()) throw', 'if (uid === -1) throw']],
  ),
  ...mutantsOf(
    'src/exec/run.ts',
    ['prepare'],
    [['a client gone before its turn is not noticed', '    if (gone.aborted) return leave()\n', '']],
  ),
  ...mutantsOf(
    'src/exec/executor.ts',
    ['exec'],
    [
      [
        'a key is not released after POOL_FULL',
        'error instanceof ShellphoneError) keys',
        "error instanceof ShellphoneError && error.code !== 'POOL_FULL') keys",
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/append-file.ts',
    ['store', 'store/full-disk'],
    [
      ['keys are not flushed', 'fdatasync(this.#descriptor, (error) => {', 'setImmediate((error?: Error) => {'],
      ['a torn line joins the next', 'this.#isTorn ? Buffer.concat([Buffer.from([NEWLINE]), lines]) : lines', 'lines'],
      ['half a line stays on a full disk', '      fs.ftruncateSync(this.#descriptor, this.size)\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/store/keys.ts',
    ['store', 'store/damage'],
    [
      ['another run frees a key', 'if (row?.runId !== runId) return', 'if (!row) return'],
      ['a freed key comes back with a restart', '    if (row.segment > 0) this.onFree(runId)\n', ''],
      ['keys without bound', 'this.#known.size <= MAX_KEYS && ', ''],
    ],
  ),
  ...mutantsOf(
    'src/store/history.ts',
    ['store', 'keys'],
    [
      ['a run is not begun before its key', '(await this.#writeNow(this.#beginLine(run), disk)).segment', '1'],
      ['a key is not on the disk before the run', '      await disk.segments.flush()\n', ''],
      [
        'a key that cannot be kept runs',
        "      throw new ShellphoneError('EXECUTION_ERROR', message)\n",
        '      void message\n',
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/history-index.ts',
    ['store', 'store/full-disk'],
    [
      ['forgotten runs keep their files', '    if (entry.files) void this.parts.disk?.quota.forget(id)\n', ''],
      [
        'what a full disk refused fills memory',
        '    if (this.#memoryChars > MAX_MEMORY_CHARS) this.#retainMemory()\n',
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/history-line.ts',
    ['store/damage'],
    [
      [
        'a damaged line is told as true',
        "Number.parseInt(line.toString('latin1', 0, SEAL), 16) === crc32(line.subarray(SEAL))",
        'line.length > SEAL',
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/ended-output.ts',
    ['store/damage'],
    [['damaged output is told as true', 'if (sums === undefined) return read', 'return read']],
  ),
  ...mutantsOf(
    'src/store/ids.ts',
    ['store/damage'],
    [
      [
        'a clock that is set makes records old',
        'Math.min(recordMs - (this.#lastMs ?? recordMs), DAY_MS)',
        'recordMs - (this.#lastMs ?? recordMs)',
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/redact.ts',
    ['store'],
    [
      ['notes are not redacted', 'record.notes.map(redact)', 'record.notes'],
      ['reasons are not redacted', 'decision.reason && redact(decision.reason)', 'decision.reason'],
    ],
  ),
  ...mutantsOf(
    'src/store/quota.ts',
    ['store'],
    [['a sweep takes what runs', '      if (this.options.isRunning(id)) continue\n', '']],
  ),
  ...mutantsOf(
    'src/store/spool.ts',
    ['store'],
    [
      [
        'output that lasts is in memory alone',
        '    else this.#ageTimer ??= setTimeout(() => this.#spill(), MEMORY_MS).unref()\n',
        '',
      ],
      [
        'a slow disk does not hold the command up',
        'this.files !== null && this.#pending() > BLOCKED_ABOVE_BYTES ? this.#room() : null',
        'null',
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/folder.ts',
    ['store'],
    [
      [
        'a folder that others enter stays so',
        '  if ((fs.statSync(directory).mode & 0o077) !== 0) fs.chmodSync(directory, 0o700)\n',
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/saved-rules.ts',
    ['store/approvals'],
    [
      [
        'a saved rule never expires',
        'this.#rules.filter(({ expires_at }) => Date.parse(expires_at) > this.options.now())',
        'this.#rules',
      ],
    ],
  ),
  ...mutantsOf(
    'src/store/approvals.ts',
    ['store/approvals'],
    [
      [
        'questions without bound',
        "    if (this.#waiting.size >= this.#options.maxPending) return toAnswer('full', this.#now())\n",
        '',
      ],
      ['always covers open stdin', "    if (scope === 'always') checkAlways(decision, entry.question)\n", ''],
      [
        'silence is never over',
        "    const timer = setTimeout(end('timeout'), this.#options.ttlMs)\n",
        '    const timer = undefined\n',
      ],
    ],
  ),
  ...mutantsOf(
    'src/exec/executor.ts',
    ['keys', 'doors', 'stop'],
    [
      [
        'a stop that does not wait for records',
        '      await Promise.allSettled(live.values().map((run) => run.finished))\n',
        '',
      ],
    ],
  ),
  ...mutantsOf('src/exec/executor.ts', ['tokens'], [["a key finds another token's run", '.update(whose)', '']]),
  ...mutantsOf('src/exec/executor.ts', ['ws'], [['requests without bound', '    checkLive(counts.liveBytes)\n', '']]),
  ...mutantsOf(
    'src/exec/run.ts',
    ['doors'],
    [['a run with a key ends with its client', ' || this.key !== undefined', '']],
  ),
  ...mutantsOf(
    'src/exec/run-in-pool.ts',
    ['boxed'],
    [
      [
        'the temporary folder stays',
        '    if (temporary) await rm(temporary, { recursive: true, force: true })',
        "    await rm('/nonexistent')",
      ],
    ],
  ),
  ...mutantsOf(
    'src/exec/sandbox-for.ts',
    ['boxed'],
    [['a floor that holds nobody', '  if (settings.sandbox_floor) checkFloor(name, network, settings)\n', '']],
  ),
  ...mutantsOf(
    'src/exec/environment.ts',
    ['prepare'],
    [
      ["the service's own token reaches commands", ' || never.test(name)) continue', ') continue'],
      [
        'names that hijack the shell are taken',
        "  if (hijacks.test(name)) return 'refused: this name can hijack the shell or the loader'\n",
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/exec/ask.ts',
    ['approvals'],
    [
      ['an answer covers a directory that was replaced', '  if (prepare.realpath(cwd) !== cwd) return replaced\n', ''],
      ['an answer covers a script that was rewritten', 'scripts.seen().some(isChanged) ? rewritten : null', 'null'],
    ],
  ),
  ...mutantsOf(
    'src/exec/judge.ts',
    ['joined', 'approvals', 'tokens'],
    [
      ['actions of an hour are not counted', '      actions = answer.state\n', ''],
      ['of two decisions the looser speaks', 'rank(b) > rank(a) ? b : a', 'rank(b) > rank(a) ? a : b'],
    ],
  ),
  ...mutantsOf(
    'src/exec/record.ts',
    ['approvals'],
    [
      [
        'artifacts show what the box hides',
        '!hidden.some((root) => isWithin({ path, root }))',
        'hidden.length >= 0 || path',
      ],
    ],
  ),
  ...mutantsOf(
    'src/exec/seen-by.ts',
    ['tokens'],
    [
      ["a token ends another's run", '    cancel: async (id, why) => executor.cancel(await own(id), why),\n', ''],
      ["a token lists others' runs", 'executor.list({ ...query, token: name })', 'executor.list(query)'],
    ],
  ),
  ...mutantsOf(
    'src/host/home.ts',
    ['start', 'home'],
    [
      ['the home is not made private', '    makeOwn(directory, 0o700)\n', ''],
      ["another user's home is used", 'if (own !== undefined && uid !== own) throw', 'if (own === -1) throw'],
      ['a token that others read stays so', '    makeOwn(path, 0o600)\n', ''],
      [
        'half a token on a full disk',
        'writeFileSync(aside, text, { mode: 0o600, flush: true })\n    renameSync(aside, path)',
        'writeFileSync(path, text, { mode: 0o600, flush: true })',
      ],
    ],
  ),
  ...mutantsOf(
    'src/host/lock.ts',
    ['home'],
    [
      ['a pid that was given out again holds the lock', ' && text === identity(pid, statOf)', ''],
      ['two find a dead lock and both take it', '  try {\n    refuseLiving(path, statOf)\n', '  try {\n'],
      ["another's lock is released", 'read(path) === own && rmSync', 'rmSync'],
    ],
  ),
]
