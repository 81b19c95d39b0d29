import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { createButtons, createNotifier } from '../../../src/server/notify/index.ts'
import { visible } from '../../../src/shared/schema/index.ts'
import { Approvals } from '../../../src/server/store/index.ts'
import { forged } from '../../support/forged.ts'
import { until } from '../../support/helper.ts'

/** Decodes the text as a person reads it: each bracket is one character, everything else is literal. */
function meant(shown: string): string {
  const short: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
  return shown.replace(/‹\\(?:([nrt])|x(..)|u\{([^}]+)\})›/g, (_all, letter, byte, code) =>
    letter ? short[letter]! : String.fromCodePoint(Number.parseInt(byte ?? code, 16)),
  )
}

t.test('forged commands look different from the commands they imitate', async (t) => {
  t.ok(forged.length >= 30)
  for (const [name, command, shown] of forged) {
    t.equal(visible(command), shown, name)
    t.equal(meant(shown), command, `${name}: nothing is lost`)
  }
  t.equal(visible('a\nb'), 'a‹\\n›b')
  t.not(visible('a\nb'), visible('a\\nb'))
})

t.test('leaves ordinary text unchanged', async (t) => {
  const texts = [
    String.raw`grep -r '\.txt$' . | sed 's/\n/\\n/' && printf 'a\tb\n' > "$HOME/x"`,
    'ls Grüße naïve 日本語 한국어 ελληνικά Привет 😀 👍🏽',
    'ls สวัสดี हिन्दी தமிழ் မြန်မာ ភាសាខ្មែរ',
  ]
  for (const text of texts) t.equal(visible(text), text)
})

t.test('two different texts never look the same', async (t) => {
  const nasty = fc.constantFrom(...'\\nrtxu{}‹›\n\r\t\x1b\u202e\u0301\u0e38ก1', '\u{e0101}')
  const text = fc.oneof(
    fc.array(nasty).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  )
  const found = fc.check(
    fc.property(text, (one) => {
      const shown = visible(one)
      return meant(shown) === one && !/[\p{C}\p{Zl}\p{Zp}\p{DI}]/u.test(shown)
    }),
    { numRuns: 5000 },
  )
  t.equal(found.counterexample, null)
})

t.test('a notification shows each text in this form on one line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-visible-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const approvals = new Approvals({
    file: null,
    ttlMs: 600_000,
    maxPending: 1,
    maxRules: 1,
    ruleMaxAgeMs: 1,
    redact: (text) => text,
    log: () => {},
  })
  const contents: string[] = []
  const notifier = createNotifier({
    approvals,
    toolFolder: '/',
    buttons: createButtons({ folder: join(folder, 'buttons'), curl: '/usr/bin/curl', url: () => 'http://127.0.0.1:1' }),
    run: async (argv) => {
      if (argv.includes('--content')) contents.push(argv[argv.indexOf('--content') + 1]!)
      return { ending: 'exited', exitCode: 0, stdout: '', stderr: '' }
    },
    probe: false,
    restMs: 200,
    log: () => {},
  })
  for (const [index, [name, command, shown]] of forged.entries()) {
    const sandbox = { name: 'none' as const, network: true, writable: [] }
    const words = {
      dialect: 'oneclaw',
      token: 'owner',
      tokenId: 'owner',
      rule: 'rule',
      reason: 'reason',
      risk: 'medium' as const,
      runId: 'run',
    }
    const stdin = Buffer.from(command)
    const answered = approvals.request({
      script: command,
      cwd: '/',
      env: { X: command },
      stdin,
      sandbox,
      files: [],
      changes: [],
      ...words,
    })
    t.ok(await until(() => contents.length > index), name)
    t.equal(contents[index], `$ ${shown}\nin /\nwith X=${shown}\nfed ${shown}\nno sandbox\nfrom owner, rule rule`, name)
    approvals.answer(approvals.pending()[0]!.id, { decision: 'deny', scope: 'once', by: 'x', how: 'x' })
    await answered
  }
  await notifier.close(1000)
})
