import { mutantsOf } from './mutant.ts'

/** Faults in approvals: notify, mcp. */
export const approvalMutants = [
  ...mutantsOf('src/server/notify/notification.ts', [
    [
      'high risk is approved on a locked screen',
      " && (approval.risk === 'low' || approval.risk === 'medium')",
      '',
      'notifications > what a locked screen',
    ],
    [
      'a command that is not shown completely is approved',
      'actions !== null && isWhole && ',
      'actions !== null && ',
      'notifications > what a locked screen',
    ],
    [
      'a forged command looks like another',
      '`$ ${visible(command)}`',
      '`$ ${command}`',
      "notifications > no text of an agent's",
    ],
  ]),
  ...mutantsOf('src/server/notify/buttons.ts', [
    [
      "others can read a button's nonce",
      "`${lines.join('\\n')}\\n`, { mode: 0o600 }",
      "`${lines.join('\\n')}\\n`",
      "notifications > no text of an agent's",
    ],
    [
      'the nonce of a decided approval stays',
      'rmSync(fileOf(id, answer), { force: true })',
      'void 0',
      'notifications > however many questions',
    ],
  ]),
  ...mutantsOf('src/server/notify/circuit-breaker.ts', [
    [
      'a failing tool is tried forever',
      'failures >= maxFailures ? now() + restMs : 0',
      '0',
      'notifications > Termux:API fails',
    ],
  ]),
  ...mutantsOf('src/server/notify/notifier.ts', [
    ['an unbounded number of tools', 'calls.size < MAX_IN_FLIGHT && ', '', 'notifications > however many questions'],
  ]),
  ...mutantsOf('src/server/mcp/call-tool.ts', [
    [
      'an answer counts for another call',
      'question.call !== digest',
      'question.call === null',
      'mcp-wire > sealed state',
    ],
  ]),
  ...mutantsOf('src/server/mcp/elicit-question.ts', [
    [
      'a client without a person answers',
      'Date.now() - at < FASTEST_PERSON_MS && !who.instant_answers',
      'false',
      'mcp > a person answers by the form',
    ],
    [
      'high risk is approved over MCP',
      "approval.risk === 'low' || approval.risk === 'medium'",
      'approval.risk !== null',
      'mcp > high risk is never',
    ],
    [
      'a token gets approval requests that it may not answer',
      "  if (who.approves !== 'all' && !(who.approves === 'own' && approval.token_id === who.id)) return false\n",
      '',
      'mcp-wire > a token that may not',
    ],
  ]),
  ...mutantsOf('src/server/mcp/sessions.ts', [
    [
      "a token uses another token's session",
      'session?.tokenId !== who.id',
      '!session',
      "mcp-wire > another token's session is none",
    ],
    [
      'an unbounded number of sessions',
      'if (isNew && !makeRoom(who))',
      'if (isNew && maxSessions === 0)',
      'mcp-wire > a flood of sessions',
    ],
    [
      'a session in use is evicted',
      '([, { exchanges }]) => exchanges === 0',
      '([, { exchanges }]) => exchanges >= 0',
      'mcp-wire > sessions that are in use',
    ],
  ]),
  ...mutantsOf('src/server/mcp/join-run.ts', [
    [
      'a lost client is not noticed',
      "  call.gone.addEventListener('abort', leave)\n  if (call.gone.aborted) leave()\n",
      '',
      'mcp-wire > a client that vanishes',
    ],
  ]),
]
