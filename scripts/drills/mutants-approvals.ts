import { mutantsOf } from './mutant.ts'

/** Faults in approvals: notify, mcp. */
export const approvalMutants = [
  ...mutantsOf('src/server/notify/notification.ts', [
    [
      'high risk is approved on a locked screen',
      " && (approval.risk === 'low' || approval.risk === 'medium')",
      '',
      'notifications > a request that a locked screen must',
    ],
    [
      'a command that is not shown completely is approved',
      'actions !== null && isWhole && ',
      'actions !== null && ',
      'notifications > a request that a locked screen must',
    ],
    [
      'a forged command looks like another',
      '`$ ${visible(command)}`',
      '`$ ${command}`',
      'notifications > no text from an agent reaches an action',
    ],
  ]),
  ...mutantsOf('src/server/notify/buttons.ts', [
    [
      "others can read a button's nonce",
      "`${lines.join('\\n')}\\n`, { mode: 0o600 }",
      "`${lines.join('\\n')}\\n`",
      'notifications > no text from an agent reaches an action',
    ],
    [
      'the nonce of a decided approval stays',
      'rmSync(fileOf(id, answer), { force: true })',
      'void 0',
      'notifications > shows one notification per approval request',
    ],
  ]),
  ...mutantsOf('src/server/notify/circuit-breaker.ts', [
    [
      'a failing tool is retried forever',
      'failures >= maxFailures ? now() + restMs : 0',
      '0',
      'notifications > pauses calls after Termux:API fails three times,',
    ],
  ]),
  ...mutantsOf('src/server/notify/notifier.ts', [
    [
      'an unbounded number of tools',
      'calls.size < MAX_IN_FLIGHT && ',
      '',
      'notifications > shows one notification per approval request',
    ],
  ]),
  ...mutantsOf('src/server/mcp/call-tool.ts', [
    [
      'an answer is accepted for another call',
      'question.call !== digest',
      'question.call === null',
      'mcp-wire > rejects sealed state that is forged, stale,',
    ],
  ]),
  ...mutantsOf('src/server/mcp/elicit-question.ts', [
    [
      'a client without a person answers',
      'Date.now() - at < FASTEST_PERSON_MS && !who.instant_answers',
      'false',
      'mcp > only a person can answer',
    ],
    [
      'high risk is approved over MCP',
      "approval.risk === 'low' || approval.risk === 'medium'",
      'approval.risk !== null',
      'mcp > never asks for approval of high risk',
    ],
    [
      'a token gets approval requests that it may not answer',
      "  if (who.approves !== 'all' && !(who.approves === 'own' && approval.token_id === who.id)) return false\n",
      '',
      'mcp-wire > shows no approval request to a token that may not answer',
    ],
  ]),
  ...mutantsOf('src/server/mcp/sessions.ts', [
    [
      "a token uses another token's session",
      'session?.tokenId !== who.id',
      '!session',
      "mcp-wire > returns 404 for another token's session",
    ],
    [
      'an unbounded number of sessions',
      'if (isNew && !evictIdle(who))',
      'if (isNew && maxSessions === 0)',
      'mcp-wire > limits the number of sessions',
    ],
    [
      'a session in use is evicted',
      '([, { exchanges }]) => exchanges === 0',
      '([, { exchanges }]) => exchanges >= 0',
      'mcp-wire > ends idle sessions but none that is in use',
    ],
  ]),
  ...mutantsOf('src/server/mcp/join-run.ts', [
    [
      'a lost client is not noticed',
      "  call.gone.addEventListener('abort', leave)\n  if (call.gone.aborted) leave()\n",
      '',
      'mcp-wire > cancels the run of a client that disconnects',
    ],
  ]),
]
