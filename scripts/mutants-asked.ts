import { mutantsOf } from './mutants.ts'

/** Faults of who may ask, what may run, and how it is answered: routes, access, policy, notify, mcp. */
export const askedMutants = [
  ...mutantsOf(
    'src/routes/socket.ts',
    ['heartbeat'],
    [['the heartbeat never cuts', 'if (!isAlive) return socket.terminate()', '']],
  ),
  ...mutantsOf(
    'src/routes/ws.ts',
    ['heartbeat'],
    [['a WebSocket has no heartbeat', '  heartbeat(socket, HEARTBEAT_MS)\n', '']],
  ),
  ...mutantsOf(
    'src/routes/events.ts',
    ['heartbeat'],
    [['the SSE keep-alive is never sent', "raw.write(': keep-alive\\n\\n')", 'void 0']],
  ),
  ...mutantsOf(
    'src/routes/socket.ts',
    ['ws'],
    [['a reader that does not read is read from', 'if (bytes > UNREAD_BYTES) socket.pause()\n    else if', 'if']],
  ),
  ...mutantsOf(
    'src/routes/events.ts',
    ['runs'],
    [['events that are not kept begin all the same', '  checkReadable(run, from)\n', '']],
  ),
  ...mutantsOf(
    'src/routes/bounds.ts',
    ['stalled'],
    [
      ['who is gone is served in its turn', 'socket.destroyed || done()', 'done()'],
      ['pipelined requests without bound', '    if (line.size > MAX_PIPELINED) socket.destroy()\n', ''],
      ['who holds all the memory is not cut', '      while (total > maxBytes && held.size > 1) cutFirst()\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/routes/ws-gate.ts',
    ['strangers', 'ws'],
    [
      [
        'a stranger sends megabytes',
        'raw.socket.bytesRead - before > MAX_STRANGER_BYTES',
        'raw.socket.bytesRead < before',
      ],
      [
        'a stranger stays for ever',
        'setTimeout(() => refuse(socket, unauthorized()), AUTH_DEADLINE_MS)',
        'setTimeout(() => {}, 0)',
      ],
      ['strangers without bound', '  parts.lobby.enter(guest)\n', ''],
    ],
  ),
  ...mutantsOf(
    'src/routes/security.ts',
    ['security'],
    [
      ['wrong tokens are not counted', '      throttle.note(toOwner(request.ip))\n', ''],
      ['any Host is taken', '    checkHost(host, settings.allowed_hosts)\n', ''],
      [
        'any Origin is taken',
        '    if (origin !== undefined) checkOrigin(request, settings.allowed_origins, reply)\n',
        '',
      ],
    ],
  ),
  ...mutantsOf(
    'src/routes/security.ts',
    ['tokens'],
    [['a revoked token keeps its connections', '  tokens.onEnd(clients.cutThoseOf)\n', '']],
  ),
  ...mutantsOf(
    'src/routes/clients.ts',
    ['strangers', 'security'],
    [
      ['connections without bound', 'if (sockets.size <= maxConnections) return', 'return'],
      [
        'a stranger takes the place of the owner',
        '      greet(socket)\n    },\n    cutThoseOf',
        '    },\n    cutThoseOf',
      ],
    ],
  ),
  ...mutantsOf(
    'src/routes/exec.ts',
    ['exec'],
    [
      ['a client that goes away is not noticed', '    if (!raw.writableFinished) gone.abort()\n', ''],
      ['a denied command is answered with 200', "record.status === 'denied' ? 403 : 200", '200'],
    ],
  ),
  ...mutantsOf(
    'src/access/tokens.ts',
    ['access'],
    [
      ['an expired token holds', 'isOver(row, now()) || ', ''],
      ['a token holds from anywhere', ' || !isFrom(row.addresses, address)', ''],
      [
        'who is gone from the file keeps its connections',
        '      for (const row of before) if (!held.has(row.sha256)) end(row.name)\n',
        '',
      ],
      [
        'a rotated token keeps its connections',
        '(one.name === name ? row : one)))\n      end(name)',
        '(one.name === name ? row : one)))',
      ],
      ['a list tells digests', 'rows.map(withoutSecret)', 'rows'],
      ['tokens without bound', 'if (rows.length >= MAX_TOKENS) {', 'if (rows.length > 1e9) {'],
    ],
  ),
  ...mutantsOf(
    'src/access/pairing.ts',
    ['access'],
    [
      ['a code for as many tries as one likes', '        if (offer.triesLeft === 0) offer = null\n', ''],
      ['a code that is never over', ' || offer.expiresMs <= now()', ''],
      ['a code for two', '      offer = null\n      return made', '      return made'],
    ],
  ),
  ...mutantsOf(
    'src/access/one-port.ts',
    ['access'],
    [
      [
        'plain HTTP from another machine is served',
        'if (isOwn(socket)) enter(socket)\n      else refuse(socket)',
        'enter(socket)',
      ],
      ['handshakes without bound', '    if (waiting.size > MAX_HANDSHAKES) cut(waiting.keys().next().value!)\n', ''],
      ['who says nothing stays for ever', 'setTimeout(cut, HANDSHAKE_MS, name)', 'setTimeout(() => {}, HANDSHAKE_MS)'],
      [
        'half a handshake is not counted',
        '      if (byte === HANDSHAKE_BYTE) {\n',
        '      if (byte === HANDSHAKE_BYTE) {\n        leave(name)\n',
      ],
      ["no client's certificate is wanted", 'rejectUnauthorized: true', 'rejectUnauthorized: false'],
    ],
  ),
  ...mutantsOf(
    'src/access/certificate.ts',
    ['access'],
    [['a certificate ends before it is renewed', 'lastsMs > RENEW_BEFORE_MS', 'lastsMs > -RENEW_BEFORE_MS']],
  ),
  ...mutantsOf(
    'src/policy/decide.ts',
    ['policy'],
    [
      ['the loosest guard wins', 'difference > 0 ||', 'difference < 0 ||'],
      [
        'what a guard cannot get through is allowed',
        "{ guard, verdict: 'deny', risk: 'high', rule: 'opaque'",
        "{ guard, verdict: 'allow', risk: 'high', rule: 'opaque'",
      ],
      ['a script is remembered of another directory', '[cwd, home, serviceHome,', '[home, serviceHome,'],
      ['a script that changes is remembered', 'before === null && !parsed.volatile', 'before === null'],
      ['what is fed to a script is not read', "text: stdin === 'open' ? null : stdin.text", 'text: null'],
    ],
  ),
  ...mutantsOf(
    'src/policy/rate.ts',
    ['policy'],
    [
      ['an hour has no end', 'at > nowMs - HOUR_MS && at <= nowMs', 'at <= nowMs'],
      ['a refused action counts', '      state: recent,\n', '      state: [...recent, nowMs],\n'],
    ],
  ),
  ...mutantsOf(
    'src/notify/notification.ts',
    ['notifications'],
    [
      ['high risk is approved on a locked screen', " && (approval.risk === 'low' || approval.risk === 'medium')", ''],
      ['what is not shown whole is approved', 'actions !== null && isWhole && ', 'actions !== null && '],
      ['a forged command looks like another', '`$ ${visible(command)}`', '`$ ${command}`'],
    ],
  ),
  ...mutantsOf(
    'src/notify/buttons.ts',
    ['notifications'],
    [
      ["others read a button's word", "`${lines.join('\\n')}\\n`, { mode: 0o600 }", "`${lines.join('\\n')}\\n`"],
      ['the word of a decided question stays', 'rmSync(fileOf(id, answer), { force: true })', 'void 0'],
    ],
  ),
  ...mutantsOf(
    'src/notify/circuit-breaker.ts',
    ['notifications'],
    [['what fails is tried for ever', 'failures >= maxFailures ? now() + restMs : 0', '0']],
  ),
  ...mutantsOf(
    'src/notify/notifier.ts',
    ['notifications'],
    [['tools without bound', 'calls.size < MAX_IN_FLIGHT && ', '']],
  ),
  ...mutantsOf(
    'src/mcp/call.ts',
    ['mcp-wire'],
    [['an answer is for another call', 'question.call !== digest', 'question.call === null']],
  ),
  ...mutantsOf(
    'src/mcp/question.ts',
    ['mcp'],
    [
      ['a client without a person answers', ' || Date.now() - at < FASTEST_PERSON_MS', ''],
      [
        'high risk is asked over MCP',
        "approval.risk === 'low' || approval.risk === 'medium'",
        'approval.risk !== null',
      ],
    ],
  ),
  ...mutantsOf(
    'src/mcp/sessions.ts',
    ['mcp-wire', 'tokens'],
    [
      ["another token's session is used", 'session?.name !== who.name', '!session'],
      ['sessions without bound', 'if (isNew && !makeRoom())', 'if (isNew && maxSessions === 0)'],
      [
        'a session in use makes room',
        '([, { exchanges }]) => exchanges === 0',
        '([, { exchanges }]) => exchanges >= 0',
      ],
    ],
  ),
  ...mutantsOf(
    'src/mcp/wait.ts',
    ['mcp', 'mcp-wire'],
    [
      [
        'a client that vanishes is not noticed',
        "  call.gone.addEventListener('abort', leave)\n  if (call.gone.aborted) leave()\n",
        '',
      ],
      ['who has the handle may not go', '  one.lease = null\n', ''],
    ],
  ),
]
