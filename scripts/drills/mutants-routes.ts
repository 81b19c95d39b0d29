import { mutantsOf } from './mutant.ts'

/** Faults in authentication and requests: routes, access. */
export const routesMutants = [
  ...mutantsOf('src/server/host/descriptors.ts', [
    [
      'a command inherits descriptors of the process that started the service',
      'if (descriptor >= FIRST_INHERITED && isInherited(descriptor)) closeSync(descriptor)',
      '',
      'security > children inherit no descriptors of the process',
    ],
  ]),
  ...mutantsOf('src/server/routes/socket-connection.ts', [
    [
      'output is sent to a reader that does not read',
      'if (bytes > UNREAD_BYTES) socket.pause()\n    else if',
      'if',
      'slow/stalled > the service stops reading',
    ],
  ]),
  ...mutantsOf('src/shared/transport/heartbeat.ts', [
    [
      'the heartbeat disconnects nobody',
      'if (!isAlive) return socket.terminate()',
      '',
      'heartbeat > disconnects a peer that answers no ping and',
    ],
  ]),
  ...mutantsOf('src/server/routes/ws-route.ts', [
    [
      'a WebSocket has no heartbeat',
      '  heartbeat(socket, HEARTBEAT_MS)\n',
      '',
      'heartbeat > disconnects a peer that answers no ping and',
    ],
  ]),
  ...mutantsOf('src/server/routes/events.ts', [
    ['events that are no longer stored are sent anyway', '  checkReadable(run, from)\n', '', 'runs > queries'],
  ]),
  ...mutantsOf('src/server/routes/bounds.ts', [
    [
      'the client that uses all the memory is not disconnected',
      '      while (total > maxBytes && held.size > 1) cutOne(idleFor(ACTIVE_MS) ?? held.keys().next().value!)\n',
      '',
      'slow/stalled > survives 100 endless bodies',
    ],
    [
      'unauthenticated clients use the memory that callers share',
      'who ? unsent : unauthenticated',
      'unsent',
      'strangers > data that unauthenticated clients leave unread',
    ],
    [
      'a body arrives byte by byte',
      'bytes < pieces * PIECES.leastBytes',
      'bytes < 0',
      'strangers > disconnects a client that keeps sending after a refusal, and one that sends a byte at a time',
    ],
    [
      'an arbitrary active body is interrupted',
      'idleFor(ACTIVE_MS) ?? held',
      'idleFor(0) ?? held',
      'pipelined > past the limit, the idle client is disconnected; if none is idle, the one that began first',
    ],
  ]),
  ...mutantsOf('src/http/turns.ts', [
    [
      'the next request is parsed before the response is sent',
      'held.length > 0 && !isBusy() && !socket.destroyed',
      'held.length > 0 && !socket.destroyed',
      'turns > bodies with a length',
    ],
    [
      'an unbounded number of pipelined requests',
      'if (held.length > MAX_HELD_BYTES) socket.pause()',
      'if (held.length === Infinity) socket.pause()',
      'slow/stalled > the service stops reading',
    ],
    [
      'a rejected client can continue to send',
      '(latest.spareMs -= tookMs) < 0',
      '(latest.spareMs -= 0) < 0',
      'strangers > disconnects a client that keeps sending after a refusal, and one that sends a byte at a time',
    ],
  ]),
  ...mutantsOf('src/http/sse.ts', [
    [
      'the SSE keep-alive is never sent',
      "raw.write(': keep-alive\\n\\n')",
      'void 0',
      'heartbeat > an idle stream sends comments',
    ],
  ]),
  ...mutantsOf('src/http/replies.ts', [
    [
      'a lost client is not noticed',
      '    if (!raw.writableFinished) gone.abort()\n',
      '',
      'exec > cancels the command of a client that',
    ],
  ]),
  ...mutantsOf('src/http/socket-gate.ts', [
    [
      'an unauthenticated client sends megabytes',
      'raw.bytesRead - before > MAX_UNAUTHENTICATED_BYTES',
      'raw.bytesRead < before',
      'strangers > closes the connection at once if the first frame is not auth',
    ],
    [
      'an unauthenticated client stays forever',
      'setTimeout(expire, AUTH_DEADLINE_MS)',
      'setTimeout(() => {}, 0)',
      'ws-gate > closes the connection without a token within 5 s',
    ],
    [
      'an unbounded number of unauthenticated clients',
      '  pending.add(client)\n',
      '',
      'strangers > the owner can connect despite 1024 unauthenticated WebSockets',
    ],
  ]),
  ...mutantsOf('src/server/routes/security.ts', [
    [
      'an unauthenticated client sends a code of megabytes',
      'UNAUTHENTICATED_BODY_BYTES = 4_096',
      'UNAUTHENTICATED_BODY_BYTES = 8_388_608',
      'strangers > a route without a token accepts only a small body',
    ],
    [
      'wrong tokens are not counted',
      '    throttle.note(toOwner(request.ip))\n',
      '',
      'security > throttles wrong tokens of an address, but never a valid one',
    ],
    [
      'a client with a token guesses other tokens',
      '    clients.markUnauthenticated(request.raw.socket)\n',
      '',
      'strangers > throttles wrong tokens on a connection that has',
    ],
    [
      'any Host is accepted',
      '      checkHost(request.headers.host, settings.allowed_hosts)\n',
      '',
      'security > Host and Origin',
    ],
    [
      'any Origin is accepted',
      '      checkOrigin(request, settings.allowed_origins, reply)\n',
      '',
      'security > Host and Origin',
    ],
    [
      'a revoked token keeps its connections',
      '  tokens.onEnd(clients.closeThoseOf)\n',
      '',
      'tokens > every entry point rejects a revoked, expired,',
    ],
  ]),
  ...mutantsOf('src/server/routes/clients.ts', [
    [
      'an unbounded number of connections',
      'if (sockets.size <= maxConnections) return',
      'return',
      'security > past max_connections',
    ],
    [
      "an unauthenticated client takes the owner's slot",
      '      if (entry.name === null) removeUnauthenticated(socket)\n',
      '',
      'strangers > connections without a token never displace the',
    ],
  ]),
  ...mutantsOf('src/server/routes/exec-route.ts', [
    [
      'a denied command gets status 200',
      "record.status === 'denied' ? 403 : 200",
      '200',
      'tokens > an agent can neither answer its own approval',
    ],
  ]),
  ...mutantsOf('src/server/access/tokens.ts', [
    [
      'an expired token is valid',
      'isExpired(row, now()) || ',
      '',
      'access > a token authenticates its holder until it',
    ],
    [
      'a token is valid from any address',
      ' || !isFrom(row.addresses, address)',
      '',
      'access > accepts a token only from its networks',
    ],
    [
      'a token that was removed from the file keeps its connections',
      'rows.all()).forEach(end)',
      'rows.all())',
      'access > reads a changed file again and reports the tokens that are gone',
    ],
    [
      'a rotated token keeps its connections',
      '(one.name === name ? row : one)))\n      end(name)',
      '(one.name === name ? row : one)))',
      'access > a token authenticates its holder until it',
    ],
    [
      'an expired token is not in the access log',
      "    accessLog?.note({ what: 'token_expired', token: name })\n",
      '',
      'access-log > records tokens that expire',
    ],
    [
      'a list contains digests',
      'rows.all().map(withoutSecret)',
      'rows.all()',
      'access > a token authenticates its holder until it',
    ],
    [
      'an unbounded number of tokens',
      'if (rows.length >= MAX_TOKENS) {',
      'if (rows.length > 1e9) {',
      'access > refuses invalid tokens and ignores damaged files',
    ],
  ]),
  ...mutantsOf('src/server/access/token-expiry.ts', [
    [
      'an expired token keeps its connections',
      'if (isExpired(row, nowMs) && !isExpired(row, checkedMs)) end(row.name)',
      'if (isExpired(row, nowMs) && !isExpired(row, checkedMs)) void 0',
      'tokens > every entry point rejects a revoked, expired,',
    ],
  ]),
  ...mutantsOf('src/server/access/pairing.ts', [
    [
      'a pairing code allows any number of attempts',
      '        if (offer.triesLeft === 0) offer = null\n',
      '',
      'access > a pairing code works once',
    ],
    ['a pairing code never expires', ' || offer.expiresMs <= now()', '', 'access > a pairing code works once'],
    [
      'a pairing code works twice',
      '      offer = null\n      return token',
      '      return token',
      'access > a pairing code works once',
    ],
  ]),
  ...mutantsOf('src/server/access/one-port.ts', [
    [
      'plain HTTP from another machine is served',
      'if (isFromThisMachine(socket)) accept(socket)\n      else refuse(socket)',
      'enter(socket)',
      'access > answers plain HTTP from another machine with tls_required',
    ],
    [
      'an unbounded number of handshakes',
      '    pending.add(client)\n',
      '',
      'access > closes connections that send half a handshake,',
    ],
    [
      'a silent client stays forever',
      'setTimeout(cut, HANDSHAKE_MS)',
      'setTimeout(() => {}, HANDSHAKE_MS)',
      'access > disconnects a client whose handshake takes more',
    ],
    [
      'an incomplete handshake is not counted',
      '      if (isHandshake) {\n',
      '      if (isHandshake) {\n        leave(name)\n',
      'access > disconnects a client whose handshake takes more',
    ],
    [
      'no client certificate is requested',
      'rejectUnauthorized: true',
      'rejectUnauthorized: false',
      'access > a client without the required certificate fails',
    ],
  ]),
  ...mutantsOf('src/server/access/certificate.ts', [
    [
      'a certificate is not renewed before it expires',
      'lastsMs > RENEW_BEFORE_MS',
      'lastsMs > -RENEW_BEFORE_MS',
      'access > renews the certificate and keeps the key',
    ],
  ]),
]
