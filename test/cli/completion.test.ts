import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import t from 'tap'
import { subcommands } from '../../src/cli/index.ts'
import { completionScript } from '../../src/cli/parser/index.ts'
import { allSettings } from '../../src/server/settings.ts'
import { RunStatus, TokenInput } from '../../src/shared/schema/index.ts'

const tokenOptions = ['--json', '--on', '--home', '--host', '--port', '--help']
const rows = allSettings({ platform: 'linux', home: '/root', prefix: undefined })

t.test('bash completes the values of options and the names of operands', async (t) => {
  const folder = t.testdir({
    shellphone: { runs: '01x\n', 'remotes.json': JSON.stringify({ phone: { url: 'x' } }, null, 2) },
  })
  const stub = join(folder, 'stub')
  writeFileSync(stub, '#!/bin/sh\necho "$*" >> asked\nprintf \'b2\\tsleep 9\\na1\\ttrue\\n$(touch bad)\\tbad\\n\'\n')
  chmodSync(stub, 0o755)
  const script = completionScript('bash', rows, subcommands)
  const words = (...line: string[]): string[] => {
    const quoted = [stub, ...line].map((word) => `'${word}'`).join(' ')
    const code = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${line.length}; _shellphone; printf '%s|' "\${COMPREPLY[@]}"`
    const env = { ...process.env, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder }
    return execFileSync('bash', ['--norc', '-c', code], { encoding: 'utf8', env, cwd: folder }).split('|').slice(0, -1)
  }
  const cases: [line: string[], expected: string[]][] = [
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['run', '--tim'], ['--timeout']],
    [['run', 'ls', '-'], []],
    [['run', '--timeout', '5', 'ls', '--tim'], []],
    [
      ['token', 'create', 'x', '--policy', ''],
      ['open', 'guarded', 'supervised', 'strict'],
    ],
    [['check', '--policy', 'st'], ['strict']],
    [['check', '--policy', '=', 'st'], ['strict']],
    [
      ['history', '--status', 'c'],
      ['completed', 'canceled'],
    ],
    [['serve', '--log-level', 'de'], ['debug']],
    [['help', 'toke'], ['token']],
    [
      ['help', ''],
      [...Object.keys(subcommands), 'settings'],
    ],
    [['help', 'plane_w'], ['plane_webhook']],
    [['cancel', 'b2', ''], ['a1']],
    [
      ['token', 'revoke', 'b2', ''],
      ['--unused-days', ...tokenOptions],
    ],
    [
      ['token', 'revoke', '--on', 'a1', ''],
      ['b2  (sleep 9)', 'a1  (true)'],
    ],
    [
      ['token', 'revoke', '--on', '=', 'a1', ''],
      ['b2  (sleep 9)', 'a1  (true)'],
    ],
    [
      ['token', 'revoke', '--json', '-'],
      ['--unused-days', ...tokenOptions.slice(1)],
    ],
    [['approvals', '--on', 'pad', 'approve', 'b2', ''], ['a1']],
    [['logs', '-n', '5', '--follow', ''], ['01x']],
    [['logs', '-n', '5', '01x', '--l'], ['--last']],
    [
      ['pair', '--approves', 'all', '--read', ''],
      ['own', 'all'],
    ],
    [['completion', 'bash', ''], ['--help']],
    [['help', 'allowed_o'], ['allowed_origins']],
    [['config', 'allowed_o'], ['allowed_origins']],
    [['ps', '--on', ''], ['phone']],
    [
      ['cancel', ''],
      ['b2  (sleep 9)', 'a1  (true)'],
    ],
    [
      ['cancel', '-'],
      ['--last', '--json', '--on', '--home', '--host', '--port', '--help'],
    ],
    [
      ['ps', ''],
      ['--json', '--on', '--home', '--host', '--port', '--help'],
    ],
    [
      ['token', 'list', ''],
      ['--json', '--on', '--home', '--host', '--port', '--help'],
    ],
    [
      ['token', ''],
      ['list', 'create', 'rotate', 'revoke'],
    ],
    [
      ['token', 'revoke', ''],
      ['b2  (sleep 9)', 'a1  (true)'],
    ],
    [
      ['fleet', 'approvals', ''],
      ['list', 'show', 'approve', 'deny'],
    ],
    [['edit', ''], [':']],
    [['edit', ':', 'sh'], []],
    [['cp', '--o'], ['--on']],
    [['cancel', 'a'], ['a1']],
    [['token', 'revoke', 'b'], ['b2']],
    [['approvals', 'approve', 'a'], ['a1']],
    [['approvals', '--on', 'fl/pixel', 'deny', 'x'], []],
    [['run', '--timeout', ''], ['']],
  ]
  for (const [line, expected] of cases) t.same(words(...line).filter(Boolean), expected.filter(Boolean), line.join(' '))
})

t.test('fish offers the settings to help only after a letter', async (t) => {
  const lines = completionScript('fish', rows, subcommands).split('\n')
  const help = lines.filter((line) => line.includes("'__fish_seen_subcommand_from help") && line.includes(' plane_'))
  t.equal(help.length, 1)
  t.match(help[0], "-n '__fish_seen_subcommand_from help; and string length -q -- (commandline -ct)' -f -a '")
})

t.test('fish offers the values of a setting after its name', async (t) => {
  const lines = completionScript('fish', rows, subcommands).split('\n')
  const after = (words: string) => lines.find((line) => line.includes(`-n '__fish_seen_subcommand_from ${words}'`))
  const set = 'config; and __fish_seen_subcommand_from set; and'
  t.match(after(`${set} __fish_seen_subcommand_from tls`), / -f -a 'auto off'$/)
  t.ok(lines.some((line) => line.includes(`${set} not __fish_seen_subcommand_from `) && line.includes(' -f -k -a ')))
})

t.test('an interactive bash inserts what it completes', (t) => {
  const folder = t.testdir({
    file: '',
    shellphone: '#!/bin/sh\nif [ "$2" = words ]; then echo b2; else echo "$*" >> asked; fi\n',
  })
  chmodSync(join(folder, 'shellphone'), 0o755)
  writeFileSync(join(folder, 'script'), completionScript('bash', rows, subcommands))
  const lines = [
    '. ./script',
    'shellphone check --poli\tst\tls',
    'shellphone canc\tb\t',
    'shellphone edit \tnotes',
    'shellphone cp fi\tphone:fi\t',
    'shellphone cp phone:\t',
    'shellphone edit phone:fi\t',
    'exit',
    '',
  ]
  execFileSync('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
    input: lines.join('\n'),
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, TERM: 'dumb' },
  })
  t.equal(
    readFileSync(join(folder, 'asked'), 'utf8'),
    'check --policy strict ls\ncancel b2\nedit :notes\ncp file phone:fi\ncp phone:\nedit phone:fi\n',
  )
  t.end()
})

t.test('the fixed values of options are those of the schemas', async (t) => {
  const wordsOf = (schema: TSchema): unknown[] =>
    schema.enum ?? (schema.anyOf ?? []).flatMap((one: TSchema) => ('const' in one ? [one.const] : wordsOf(one)))
  const rights = subcommands.token!.verbs!.create!.options!
  for (const name of ['approves', 'read', 'files', 'policy'] as const) {
    t.same(rights[name]!.values!.words, wordsOf(TokenInput.properties[name]), name)
  }
  const { status } = subcommands.history!.options!
  t.same(status!.values!.words, ['live', ...wordsOf(RunStatus), 'killed', 'needs_approval'])
  const policy = rows.find(({ name }) => name === 'policy')!
  t.same([...subcommands.check!.options!.policy!.values!.words!].sort(), wordsOf(policy.schema).sort())
})
