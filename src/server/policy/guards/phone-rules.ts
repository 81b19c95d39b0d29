/** Rules specific to a phone: private data, the screen, and contact with other people. */
import { type Rule, rulesOf } from './rule.ts'

const common = { guard: 'phone', verdict: 'private', risk: 'medium', suspects: true } as const

export const phoneRules: readonly Rule[] = rulesOf(common, {
  'private-data': {
    reason:
      'This would read private data: contacts, messages, calls, location, clipboard, notifications, camera or microphone.',
    on: { reveals: ({ what }) => what === 'private' },
  },
  screen: { reason: 'This would read what the screen shows.', on: { reveals: ({ what }) => what === 'screen' } },
  'reaches-people': {
    verdict: 'ask',
    risk: 'high',
    reason: 'This would send a message or make a call. A person must approve this.',
    on: { reaches: true },
  },
})
