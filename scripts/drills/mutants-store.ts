import { mutantsOf } from './mutant.ts'

/** Faults in stored data: store, host. */
export const storeMutants = [
  ...mutantsOf('src/server/store/append-file.ts', [
    [
      'keys are not flushed',
      'fdatasync(this.#descriptor, (error) => {',
      'setImmediate((error?: Error) => {',
      'store > flushes a key to disk before its',
    ],
    [
      'a torn line is joined with the next',
      'this.#isTorn ? Buffer.concat([Buffer.from([NEWLINE]), lines]) : lines',
      'lines',
      'store > a history truncated at the end of',
    ],
    [
      'a partial line stays on a full disk',
      '      fs.ftruncateSync(this.#descriptor, this.size)\n',
      '',
      'store/full-disk > on a full disk stores what fits',
    ],
  ]),
  ...mutantsOf('src/server/store/keys.ts', [
    [
      'another run frees a key',
      'if (row?.runId !== runId) return',
      'if (!row) return',
      'store > a key belongs to one run and',
    ],
    [
      'a freed key returns after a restart',
      '    if (row.segment > 0) this.onFree(runId)\n',
      '',
      'store > a key belongs to one run and',
    ],
    [
      'an unbounded number of keys',
      'this.#known.size <= MAX_KEYS && ',
      '',
      'store > forgets the oldest of more than 50 000 keys',
    ],
  ]),
  ...mutantsOf('src/server/store/history.ts', [
    [
      'a run starts without its key',
      '(await this.#writeNow(beginLine(toStored(run.record, this.#parts.redact), key), disk)).segment',
      '1',
      'store > a key outlives the record of its run, for at most 8 days',
    ],
    [
      'a run starts before its key is on the disk',
      '      await disk.segments.flush()\n',
      '',
      'store > flushes a key to disk before its',
    ],
    [
      'a run starts although its key cannot be stored',
      "      throw new ShellphoneError('EXECUTION_ERROR', message)\n",
      '      void message\n',
      'store > flushes a key to disk before its',
    ],
  ]),
  ...mutantsOf('src/server/store/retention.ts', [
    [
      'the files of forgotten runs stay',
      '    if (entry.files) this.parts.disk?.quota.forget(id).catch(() => {})',
      '',
      'store > history respects its limits on age and',
    ],
    [
      'data that a full disk refused fills memory',
      '    this.#memoryChars += line.length\n',
      '',
      'store/full-disk > limits memory while',
    ],
  ]),
  ...mutantsOf('src/server/store/history-line.ts', [
    [
      'a damaged line is reported as valid',
      "Number.parseInt(line.toString('latin1', 0, SEAL), 16) === crc32(line.subarray(SEAL))",
      'line.length > SEAL',
      'store/damage > does not return damaged data',
    ],
  ]),
  ...mutantsOf('src/server/store/ended-output.ts', [
    [
      'damaged output is returned as valid',
      'if (sums === undefined) return read',
      'return read',
      'store/damage > does not return damaged data',
    ],
  ]),
  ...mutantsOf('src/server/store/ids.ts', [
    [
      'a change of the clock makes records old',
      'Math.min(recordMs - (this.#lastMs ?? recordMs), DAY_MS)',
      'recordMs - (this.#lastMs ?? recordMs)',
      'store/damage > a clock change makes nothing old',
    ],
  ]),
  ...mutantsOf('src/server/store/losses.ts', [
    [
      'a missing segment is not noticed',
      '  missingSegments += Math.max(0, known.newest - Math.max(previous, 0))\n',
      '',
      'store/damage > reports the number of segments',
    ],
  ]),
  ...mutantsOf('src/server/store/append-file.ts', [
    [
      'an end line is written before its begin line',
      'isBegin ? this.#begins++ : this.lines.length',
      'this.lines.length',
      'store/full-disk > writes queued begin lines',
    ],
  ]),
  ...mutantsOf('src/server/store/redact.ts', [
    [
      'notes are not redacted',
      'text: redact(text)',
      'text',
      'store > known forms of secrets are not stored but stay in the reply',
    ],
    [
      'reasons are not redacted',
      'decision.reason && redact(decision.reason)',
      'decision.reason',
      'store > known forms of secrets are not stored but stay in the reply',
    ],
  ]),
  ...mutantsOf('src/server/store/quota.ts', [
    [
      'a sweep removes the output of running commands',
      '      if (this.options.isRunning(id)) continue\n',
      '',
      'store > sweeps the oldest ended runs at the limit, never live ones',
    ],
  ]),
  ...mutantsOf('src/server/store/spool.ts', [
    [
      'output of a long run stays in memory',
      '    else this.#ageTimer ??= setTimeout(() => this.#spill(), MEMORY_MS).unref()\n',
      '',
      'store > small output of a long run is',
    ],
    [
      'a slow disk does not slow the command down',
      'this.#waiting() > BLOCKED_ABOVE_BYTES ? this.#untilDrained() : undefined',
      'undefined',
      'store > abandons a write that takes too long',
    ],
  ]),
  ...mutantsOf('src/server/store/make-folder.ts', [
    [
      'a folder that others can enter is not made private',
      '  if ((fs.statSync(directory).mode & 0o077) !== 0) fs.chmodSync(directory, 0o700)\n',
      '',
      'store > makes a folder private that others could enter',
    ],
  ]),
  ...mutantsOf('src/server/store/saved-rules.ts', [
    [
      'a saved rule never expires',
      'this.#rules.filter(({ expires_at }) => Date.parse(expires_at) > this.options.now())',
      'this.#rules',
      'store/approvals > an "always" rule covers exactly',
    ],
  ]),
  ...mutantsOf('src/server/store/approvals.ts', [
    [
      'an unbounded number of approval requests',
      "    if (!this.#hasCapacityFor(question.tokenId)) return toAnswer('full', this.#now())\n",
      '',
      'store/approvals > denies a request without an answer',
    ],
    [
      'scope always covers open stdin',
      "    if (scope === 'always') checkAlways(decision, entry.question)\n",
      '',
      'store/approvals > saves no rule for open stdin',
    ],
    [
      'an approval request never times out',
      "request.deadline.startTimer(end('timeout'))",
      'asked.deadline.startTimer(() => {})',
      'store/approvals > denies a request without an answer',
    ],
  ]),
  ...mutantsOf('src/server/host/home.ts', [
    [
      'the home is not made private',
      '    makePrivate(directory, 0o700)\n',
      '',
      'home > makes files private that other users could',
    ],
    [
      "another user's home is used",
      'if (own !== undefined && uid !== own) throw',
      'if (own === -1) throw',
      'start > refuses another user',
    ],
    [
      'a token that others can read stays so',
      '    makePrivate(path, 0o600)\n',
      '',
      'home > makes files private that other users could',
    ],
    [
      'a partial token on a full disk',
      'writeFileSync(aside, text, { mode: 0o600, flush })\n    renameSync(aside, path)',
      'writeFileSync(path, text, { mode: 0o600, flush })',
      'home > a first start on a full disk',
    ],
  ]),
  ...mutantsOf('src/server/host/lock.ts', [
    [
      'a process that reused the pid holds the lock',
      ' && text === identity(pid, statOf)',
      '',
      'home > takes over a lock that names no',
    ],
    [
      'two processes take over the same dead lock',
      '  try {\n    refuseLive(path, statOf)\n',
      '  try {\n',
      'home > if two processes find a stale lock,',
    ],
    [
      "another process's lock is released",
      'read(path) === own && rmSync',
      'rmSync',
      'home > releases only its own lock, even if',
    ],
  ]),
]
