import { mutantsOf } from './mutant.ts'

/** Faults of who may ask: routes, access. */
export const routesMutants = [
  ...mutantsOf('src/server/host/descriptors.ts', [
    [
      'a command gets what the starter left open',
      'if (descriptor > 2 && isInherited(descriptor)) closeSync(descriptor)',
      '',
      'security > children get no descriptors of whoever',
    ],
  ]),
  ...mutantsOf('src/server/routes/socket-connection.ts', [
    [
      'a reader that does not read is read from',
      'if (bytes > UNREAD_BYTES) socket.pause()\n    else if',
      'if',
      'slow/stalled > who sends and does not read',
    ],
  ]),
  ...mutantsOf('src/shared/transport/heartbeat.ts', [
    [
      'the heartbeat never cuts',
      'if (!isAlive) return socket.terminate()',
      '',
      'heartbeat > a peer that answers no ping',
    ],
  ]),
  ...mutantsOf('src/server/routes/ws-route.ts', [
    [
      'a WebSocket has no heartbeat',
      '  heartbeat(socket, HEARTBEAT_MS)\n',
      '',
      'heartbeat > a peer that answers no ping',
    ],
  ]),
  ...mutantsOf('src/server/routes/events.ts', [
    ['events that are not kept begin all the same', '  checkReadable(run, from)\n', '', 'runs > queries'],
  ]),
  ...mutantsOf('src/server/routes/bounds.ts', [
    [
      'who holds all the memory is not cut',
      '      while (total > maxBytes && held.size > 1) cutOne(stillFor(STILL_MS) ?? held.keys().next().value!)\n',
      '',
      'slow/stalled > 100 bodies',
    ],
    [
      'strangers fill what callers share',
      'who ? unsent : strangers',
      'unsent',
      'strangers > what strangers leave unread',
    ],
    [
      'a body comes byte by byte',
      'bytes < pieces * PIECES.leastBytes',
      'bytes < 0',
      'strangers > who is refused and goes on',
    ],
    [
      'of bodies that all move, any may be cut',
      'stillFor(STILL_MS) ?? held',
      'stillFor(0) ?? held',
      'pipelined > past the bound',
    ],
  ]),
  ...mutantsOf('src/http/turns.ts', [
    [
      'the next request is parsed before the answer has left',
      'held.length > 0 && !isBusy() && !socket.destroyed',
      'held.length > 0 && !socket.destroyed',
      'turns > bodies with a length',
    ],
    [
      'pipelined requests without bound',
      'if (held.length > MAX_HELD_BYTES) socket.pause()',
      'if (held.length === Infinity) socket.pause()',
      'slow/stalled > who sends and does not read',
    ],
    [
      'who is refused sends on',
      '(latest.spareMs -= tookMs) < 0',
      '(latest.spareMs -= 0) < 0',
      'strangers > who is refused and goes on',
    ],
  ]),
  ...mutantsOf('src/http/sse.ts', [
    ['the SSE keep-alive is never sent', "raw.write(': keep-alive\\n\\n')", 'void 0', 'heartbeat > a stream in which'],
  ]),
  ...mutantsOf('src/http/replies.ts', [
    [
      'a client that goes away is not noticed',
      '    if (!raw.writableFinished) gone.abort()\n',
      '',
      'exec > a client that goes away',
    ],
  ]),
  ...mutantsOf('src/http/socket-gate.ts', [
    [
      'a stranger sends megabytes',
      'raw.bytesRead - before > MAX_UNAUTHENTICATED_BYTES',
      'raw.bytesRead < before',
      'strangers > a first frame that is no auth',
    ],
    [
      'a stranger stays for ever',
      'setTimeout(expire, AUTH_DEADLINE_MS)',
      'setTimeout(() => {}, 0)',
      'ws-gate > none within 5 s',
    ],
    ['strangers without bound', '  pending.add(client)\n', '', 'strangers > 1024 WebSockets'],
  ]),
  ...mutantsOf('src/server/routes/security.ts', [
    [
      'a stranger sends megabytes of a code',
      'bodyLimit: 4_096',
      'bodyLimit: 8_388_608',
      'strangers > where none needs',
    ],
    [
      'wrong tokens are not counted',
      '    throttle.note(toOwner(request.ip))\n',
      '',
      'security > throttles wrong tokens of an address',
    ],
    [
      'who has a token guesses others',
      '    clients.doubt(request.raw.socket)\n',
      '',
      'strangers > throttles wrong tokens where a right one',
    ],
    [
      'any Host is taken',
      '      checkHost(request.headers.host, settings.allowed_hosts)\n',
      '',
      'security > Host and Origin',
    ],
    [
      'any Origin is taken',
      '      checkOrigin(request, settings.allowed_origins, reply)\n',
      '',
      'security > Host and Origin',
    ],
    ['a revoked token keeps its connections', '  tokens.onEnd(clients.cutThoseOf)\n', '', 'tokens > every door with'],
  ]),
  ...mutantsOf('src/server/routes/clients.ts', [
    [
      'connections without bound',
      'if (sockets.size <= maxConnections) return',
      'return',
      'security > past max_connections',
    ],
    [
      'a stranger takes the place of the owner',
      '      if (entry.name === null) greet(socket)\n',
      '',
      'strangers > connections without a token',
    ],
  ]),
  ...mutantsOf('src/server/routes/exec-route.ts', [
    [
      'a denied command is answered with 200',
      "record.status === 'denied' ? 403 : 200",
      '200',
      'tokens > an agent cannot answer',
    ],
  ]),
  ...mutantsOf('src/server/access/tokens.ts', [
    ['an expired token holds', 'isOver(row, now()) || ', '', 'access > a token is whose'],
    ['a token holds from anywhere', ' || !isFrom(row.addresses, address)', '', 'access > a token bound'],
    [
      'who is gone from the file keeps its connections',
      '      for (const row of before) if (!rows.all().some((one) => isSame(one, row))) end(row.name)\n',
      '',
      'access > a file that was changed',
    ],
    [
      'a rotated token keeps its connections',
      '(one.name === name ? row : one)))\n      end(name)',
      '(one.name === name ? row : one)))',
      'access > a token is whose',
    ],
    ['a list tells digests', 'rows.all().map(withoutSecret)', 'rows.all()', 'access > a token is whose'],
    [
      'tokens without bound',
      'if (rows.length >= MAX_TOKENS) {',
      'if (rows.length > 1e9) {',
      'access > what is no token',
    ],
  ]),
  ...mutantsOf('src/server/access/token-ends.ts', [
    [
      'a token that is over keeps its connections',
      'if (isOver(row, nowMs) && !isOver(row, lookedMs)) end(row.name)',
      'if (isOver(row, nowMs) && !isOver(row, lookedMs)) void 0',
      'tokens > every door with',
    ],
  ]),
  ...mutantsOf('src/server/access/pairing.ts', [
    [
      'a code for as many tries as one likes',
      '        if (offer.triesLeft === 0) offer = null\n',
      '',
      'access > a pairing code',
    ],
    ['a code that is never over', ' || offer.expiresMs <= now()', '', 'access > a pairing code'],
    ['a code for two', '      offer = null\n      return made', '      return made', 'access > a pairing code'],
  ]),
  ...mutantsOf('src/server/access/one-port.ts', [
    [
      'plain HTTP from another machine is served',
      'if (isOwn(socket)) enter(socket)\n      else refuse(socket)',
      'enter(socket)',
      'access > plain HTTP from another',
    ],
    ['handshakes without bound', '    lobby.add(guest)\n', '', 'access > half a handshake'],
    [
      'who says nothing stays for ever',
      'setTimeout(cut, HANDSHAKE_MS)',
      'setTimeout(() => {}, HANDSHAKE_MS)',
      'access > who has not ended',
    ],
    [
      'half a handshake is not counted',
      '      if (isHandshake) {\n',
      '      if (isHandshake) {\n        leave(name)\n',
      'access > who has not ended',
    ],
    [
      "no client's certificate is wanted",
      'rejectUnauthorized: true',
      'rejectUnauthorized: false',
      'access > who needs a certificate',
    ],
  ]),
  ...mutantsOf('src/server/access/certificate.ts', [
    [
      'a certificate ends before it is renewed',
      'lastsMs > RENEW_BEFORE_MS',
      'lastsMs > -RENEW_BEFORE_MS',
      'access > the key is kept',
    ],
  ]),
]
