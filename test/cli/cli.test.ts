import { execFileSync } from 'node:child_process'
import t from 'tap'
import { completionScript, helpText, readCommandLine, type Subcommands } from '../../src/cli/parser/index.ts'
import type { SettingRow } from '../../src/shared/schema/index.ts'
import { allSettings } from '../../src/server/settings.ts'

const rows: SettingRow[] = allSettings({ platform: 'linux', home: '/root', prefix: undefined })
const run = async () => {}
const subcommands: Subcommands = {
  serve: { meaning: 'Serves', settings: 'all', run },
  check: {
    operands: "'COMMAND'",
    meaning: 'Checks',
    options: { policy: { value: 'PRESET', meaning: 'Supposed', short: 'p' }, json: { meaning: 'As JSON' } },
    settings: 'place',
    examples: ["shellphone check 'ls'"],
    exitCodes: '0 allow, 1 deny',
    run,
  },
  remote: { operands: '[list]', meaning: 'Remotes', settings: 'none', run },
  logs: {
    meaning: 'Logs',
    options: { on: { value: 'NAME', meaning: 'There' } },
    settings: 'none',
    completes: 'runs',
    run,
  },
  help: { meaning: 'Helps', settings: 'none', run },
  version: { meaning: 'Says', settings: 'none', run },
}
const parse = (...argv: string[]) => readCommandLine(argv, rows, subcommands)

t.test('reads subcommand, operands, options and flags', async (t) => {
  const cases: [string[], string, string[], object, object][] = [
    [[], 'serve', [], {}, {}],
    [['--port', '1'], 'serve', [], {}, { port: '1' }],
    [['serve', '--port=1', '--home', '/x'], 'serve', [], {}, { port: '1', home: '/x' }],
    [['--home', '/x', 'check', 'ls'], 'check', ['ls'], {}, { home: '/x' }],
    [
      ['check', 'ls -la', '--policy', 'strict', '--json', '--port', '9'],
      'check',
      ['ls -la'],
      { policy: 'strict', json: '' },
      { port: '9' },
    ],
    [['check', '-p', 'open', '--', '-x'], 'check', ['-x'], { policy: 'open' }, {}],
    [['--help'], 'help', [], {}, {}],
    [['-h'], 'help', [], {}, {}],
    [['check', '--help'], 'help', ['check'], {}, {}],
    [['--version'], 'version', [], {}, {}],
  ]
  for (const [argv, name, operands, options, flags] of cases) {
    const line = parse(...argv)
    const { invocation } = line
    const seen = [
      line.name,
      invocation.operands,
      Object.fromEntries(invocation.options),
      Object.fromEntries(invocation.flags),
    ]
    t.same(seen, [name, operands, options, flags], argv.join(' '))
  }
})

t.test('names what it does not know, with the nearest name or its owner', async (t) => {
  const cases: [string[], RegExp][] = [
    [['fly'], /^fly: unknown subcommand; list them with shellphone help$/],
    [['chekc'], /^chekc: unknown subcommand, did you mean check\?; list them with shellphone help$/],
    [['log'], /^log: unknown subcommand, did you mean logs\?; list them with shellphone help$/],
    [
      ['--prot', '1'],
      /^serve: unknown option --prot, did you mean --port\?; list the options with shellphone serve --help$/,
    ],
    [['serve', '--json'], /^serve: unknown option --json \(it belongs to check\)/],
    [['remote', '--port', '1'], /^remote: unknown option --port; /],
    [['check', '--polcy', 'open'], /^check: unknown option --polcy, did you mean --policy\?/],
    [['check', '--policy'], /^check: .*--policy/],
    [['check', '--json=x'], /^check: .*--json/],
    [['constructor'], /^constructor: unknown subcommand/],
  ]
  for (const [argv, message] of cases) t.throws(() => parse(...argv), { message }, argv.join(' '))
})

t.test('prints help generated from the rows', async (t) => {
  for (const name of Object.keys(subcommands)) t.match(helpText(undefined, rows, subcommands), `  ${name} `)
  t.match(
    helpText('check', rows, subcommands),
    /Usage: shellphone check 'COMMAND'[^]*-p, --policy PRESET[^]*--port[^]*Exit codes: 0 allow/,
  )
  for (const row of rows) t.match(helpText('settings', rows, subcommands), row.meaning.replaceAll('`', '').slice(0, 40))
  t.throws(() => helpText('fly', rows, subcommands), { message: /^help fly: expected settings or one of serve/ })
})

t.test('prints a completion script that the shell accepts', async (t) => {
  const folder = t.testdir({
    shellphone: {
      runs: '01m2b\n01m2a\n',
      'remotes.json': JSON.stringify(
        { phone: { url: 'https://x', key: null, token: '' }, pad: { url: 'http://y' } },
        null,
        2,
      ),
    },
  })
  const script = completionScript('bash', rows, subcommands)
  const words = (...line: string[]) =>
    execFileSync(
      'bash',
      [
        '--norc', // bash reads .bashrc if stdin is a socket, as in a child of Node
        '-c',
        `${script}\nCOMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}; _shellphone; echo "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder } },
    ).trim()
  t.equal(words('shellphone', 'ch'), 'check')
  t.equal(words('shellphone', 'check', '--p'), '--policy --port')
  t.match(words('shellphone', 'serve', '--max-r'), /--max-running/)
  t.equal(words('shellphone', 'fly', '--'), '')
  t.equal(words('shellphone', 'logs', '01'), '01m2b 01m2a', 'known runs')
  t.equal(words('shellphone', 'logs', '--on', 'p'), 'phone pad', 'paired phones')
  t.match(completionScript('zsh', rows, subcommands), /bashcompinit/)
  t.match(
    completionScript('fish', rows, subcommands),
    /complete -c shellphone -n '__fish_seen_subcommand_from check' -l policy/,
  )
  t.throws(() => completionScript('csh', rows, subcommands), {
    message: 'completion: expected bash, zsh or fish, got csh',
  })
})
