import {
  requests,
  bounds,
  sandboxCodes,
  endedBy,
  limitIndexes,
  steps,
  messages,
} from '../../src/server/spawn/launcher-numbers.ts'

/** `stdinEnd` and `workspace-write` as C has them: STDIN_END, WORKSPACE_WRITE. */
const nameOf = (key: string) =>
  key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W/g, '_')
    .toUpperCase()

/** The smallest number of 64 bits cannot be written in C as it is. */
const valueOf = (value: number | bigint) => (typeof value === 'bigint' ? `(-INT64_C(${-value - 1n}) - 1)` : value)

const defines = (table: Record<string, number | bigint>) =>
  Object.entries(table).map(([key, value]) => `#define ${nameOf(key)} ${valueOf(value)}`)

const enumOf = (prefix: string, table: Record<string, number>, ...more: string[]) =>
  `enum { ${[...Object.entries(table).map(([key, value]) => `${prefix}${nameOf(key)} = ${value}`), ...more].join(', ')} };`

/** launcher/protocol.h: what the launcher has in common with the service; the test compares it with the committed one. */
export const launcherHeader = (): string =>
  [
    '#pragma once',
    '/* protocol.h: made of src/server/spawn/launcher-numbers.ts by `npm run docs`; what each is for stands there. */',
    '#include <stdint.h>',
    '',
    ...defines(bounds),
    '',
    enumOf('', requests),
    enumOf('', messages),
    enumOf('NOTE_', endedBy),
    enumOf('STEP_', steps),
    enumOf('BOX_', sandboxCodes),
    enumOf('LIMIT_', limitIndexes, 'LIMITS'),
    '',
  ].join('\n')
