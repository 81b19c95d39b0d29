import { execFileSync, spawnSync } from 'node:child_process'
import type { WriteStream } from 'node:tty'
import t from 'tap'
import {
  completionScript,
  helpText,
  manPage,
  manPages,
  readCommandLine,
  type Subcommands,
} from '../../src/cli/parser/index.ts'
import { styleOf, textTable } from '../../src/cli/print/index.ts'
import { environmentName } from '../../src/server/config/index.ts'
import type { SettingRow } from '../../src/shared/schema/index.ts'
import { findProgram } from '../../src/server/spawn/index.ts'
import { allSettings } from '../../src/server/settings.ts'

const rows: SettingRow[] = allSettings({ platform: 'linux', home: '/root', prefix: undefined })
const run = async () => {}
const group = 'Service'
const subcommands: Subcommands = {
  serve: { group, meaning: 'Serves', settings: 'all', run },
  check: {
    group,
    operands: "'COMMAND'",
    meaning: 'Checks',
    options: { policy: { value: 'PRESET', meaning: 'Supposed', short: 'p' }, json: { meaning: 'As JSON' } },
    settings: 'place',
    examples: ["shellphone check 'ls'"],
    exitCodes: '0 allow, 1 deny',
    run,
  },
  remote: {
    group,
    meaning: 'Remotes',
    verbs: {
      list: { meaning: 'Lists' },
      show: { operands: '[ID]', meaning: 'Shows', completes: 'runs' },
      add: {
        ...{ operands: 'NAME [LINK]', meaning: 'Adds' },
        options: { force: { meaning: 'By force' }, tag: { value: 'TAGS', isList: true, meaning: 'Tags' } },
      },
    },
    defaultVerb: 'list',
    settings: 'none',
    examples: ['shellphone remote', 'shellphone remote add phone'],
    run,
  },
  logs: {
    group: 'Runs',
    operands: 'ID …',
    meaning: 'Logs',
    options: { on: { value: 'NAME', completes: 'remotes', meaning: 'There' } },
    settings: 'none',
    completes: 'runs',
    run,
  },
  config: {
    group,
    meaning: 'Settings',
    verbs: {
      show: { operands: '[NAME]', meaning: 'Shows', alsoCalled: ['get'] },
      import: { operands: 'FILE', meaning: 'Imports' },
      set: { operands: 'NAME VALUE', meaning: 'Sets', completes: 'setting and value' },
    },
    defaultVerb: 'show',
    settings: 'none',
    run,
  },
  help: { group: 'Help', meaning: 'Helps', settings: 'none', run },
  version: { group: 'Help', meaning: 'Says', settings: 'none', run },
}
/** What is not a terminal: no colours, no width. */
const plain = styleOf({ isTTY: false } as WriteStream)
/** A terminal of 40 columns that shows colours. */
const colourful = styleOf({ isTTY: true, columns: 40, hasColors: () => true } as WriteStream)
const parse = (...argv: string[]) => readCommandLine(argv, rows, subcommands)

t.test('reads subcommand, operands, options and flags', async (t) => {
  const cases: [string[], string, string[], object, object][] = [
    [[], 'help', [], {}, {}],
    [['serve', '--port', '1'], 'serve', [], {}, { port: '1' }],
    [['--port', '1', 'serve'], 'serve', [], {}, { port: '1' }],
    [['--port', '1', '--help'], 'help', [], {}, {}],
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
    [['remote', 'add', '--help'], 'help', ['remote', 'add'], {}, {}],
    [['remote', 'add', 'x', '--force'], 'remote', ['add', 'x'], { force: '' }, {}],
    [['remote', 'add', 'x', '--tag', 'a,b', '--tag=c'], 'remote', ['add', 'x'], { tag: 'a,b,c' }, {}],
    [['remote'], 'remote', [], {}, {}],
    [['config'], 'config', [], {}, {}],
    [['config', 'port'], 'config', ['port'], {}, {}],
    [['config', 'show', 'port'], 'config', ['show', 'port'], {}, {}],
    [['config', 'import', 'x'], 'config', ['import', 'x'], {}, {}],
    [['config', 'port', '--help'], 'help', ['config'], {}, {}],
    [['logs', 'a', 'b', 'c'], 'logs', ['a', 'b', 'c'], {}, {}],
    [['--version'], 'version', [], {}, {}],
    [['-v'], 'version', [], {}, {}],
    [['-V'], 'version', [], {}, {}],
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
    [
      ['--port', '1'],
      /^expected a subcommand before --port, as in shellphone SUBCOMMAND --port; list them with shellphone --help$/,
    ],
    [['fly'], /^fly: unknown subcommand; list them with shellphone help$/],
    [['chekc'], /^chekc: unknown subcommand, did you mean check\?; list them with shellphone help$/],
    [['log'], /^log: unknown subcommand, did you mean logs\?; list them with shellphone help$/],
    [
      ['serve', '--prot', '1'],
      /^serve: unknown option --prot, did you mean --port\?; list the options with shellphone serve --help$/,
    ],
    [['serve', '--json'], /^serve: unknown option --json \(it belongs to check\)/],
    [['remote', '--port', '1'], /^remote: unknown option --port; /],
    [['check', '--polcy', 'open'], /^check: unknown option --polcy, did you mean --policy\?/],
    [['check', '--policy'], /^check: .*--policy/],
    [['check', '--json=x'], /^check: .*--json/],
    [['constructor'], /^constructor: unknown subcommand/],
    [['remote', 'fly'], /^remote fly: unknown subcommand; expected list, show, add; see shellphone remote --help$/],
    [['remote', 'ad', 'x'], /^remote ad: unknown subcommand, did you mean add\?; /],
    [['remote', 'constructor'], /^remote constructor: unknown subcommand/],
    [
      ['remote', '--force'],
      /^remote list: unknown option --force \(it belongs to add\); see shellphone remote list --help$/,
    ],
    [['remote', 'add'], /^remote add: expected NAME \[LINK\], got nothing; see shellphone remote add --help$/],
    [['remote', 'add', 'x', 'y', 'z'], /^remote add: expected NAME \[LINK\], got x y z; /],
    [['remote', 'add', ''], /^remote add: expected NAME \[LINK\], got ''; /],
    [['serve', 'x'], /^serve: expected no operand, got x; see shellphone serve --help$/],
    [['config', 'import', 'x', 'y'], /^config import: expected FILE, got x y; /],
    [['config', 'port', 'y'], /^config: expected \[NAME\], got port y; see shellphone config --help$/],
    [['config', 'get', 'x'], /^config get: unknown subcommand, did you mean show\?; expected show, import, set; /],
    [['logs'], /^logs: expected ID …, got nothing; /],
    [['check'], /^check: expected 'COMMAND', got nothing; /],
  ]
  for (const [argv, message] of cases) t.throws(() => parse(...argv), { message, exitCode: 2 }, argv.join(' '))
})

t.test('prints help generated from the rows', async (t) => {
  const help = (...topic: string[]) => helpText(topic, rows, subcommands, plain)
  for (const name of Object.keys(subcommands)) t.match(help(), `\n  ${name} `)
  t.match(help(), /\nRuns\n  logs +Logs\n\nService\n  serve /, 'in groups with headers')
  t.match(help(), /\nExit codes: .* 2 the command line or a setting is invalid/, 'the exit codes, once')
  t.match(
    help('check'),
    /^Usage: shellphone check \[OPTION …\] 'COMMAND'\n[^]*-p, --policy PRESET[^]*--port[^]*Exit codes: 0 allow/,
  )
  t.match(help('check'), /--host ADDRESS +Connect to this address \(default: /, 'not the address on which it listens')
  t.match(
    help('remote'),
    /^Usage: shellphone remote \[SUBCOMMAND\] \[OPTION …\] \[OPERAND …\]\n[^]*  list +Lists \(default\)\n  show \[ID\] +Shows\n  add NAME \[LINK\] +Adds\n/,
  )
  t.match(
    help('remote', 'add'),
    /^Usage: shellphone remote add \[OPTION …\] NAME \[LINK\]\n\nAdds\.\n[^]*--force [^]*  shellphone remote add phone$/,
  )
  for (const row of rows) t.match(help('settings'), row.meaning.replaceAll('`', '').slice(0, 40))
  const inOneLine = help('settings').replaceAll(/\s+/g, ' ')
  t.notMatch(inOneLine, /matching [\^[]/, 'no regular expressions')
  t.match(inOneLine, 'an absolute path or null; default: none; SHELLPHONE_TLS_CERTIFICATE')
  t.match(inOneLine, 'TCP port; 0: the system chooses (an integer from 0 to 65535; default: 8029; SHELLPHONE_PORT)')
  for (const { name } of rows) t.match(inOneLine, environmentName(name), name)
  t.match(
    help('policy'),
    /^policy: [^]*Values +[^]*guarded[^]*Default +"guarded"[^]*SHELLPHONE_POLICY=VALUE[^]*shellphone serve --policy VALUE/,
  )
  t.match(help('config'), /\n  show \[NAME\] +Shows \(default\)\n/, 'without options')
  t.match(help('serve'), /Settings \(the most common\):[^]*--port[^]*--policy/)
  t.throws(() => help('chekc'), { exitCode: 2, message: /^help chekc: unknown subcommand, did you mean check\?; / })
  t.throws(() => help('remote', 'fly'), { exitCode: 2, message: /^help remote fly: unknown subcommand; / })

  t.notMatch(help(), '\x1b')
  const shown = helpText([], rows, subcommands, colourful)
  t.match(shown, '\x1b[1mRuns\x1b[22m', 'headers stand out on a terminal')
  const widest = shown
    .replaceAll(/\x1b\[\d+m/g, '')
    .split('\n')
    .slice(3)
  for (const line of widest) t.ok(line.length <= 40, `wrapped: ${line}`)
})

t.test('prints tables with headers, cut at the width of a terminal', async (t) => {
  const columns = [
    { title: 'ID', text: ({ id }: { id: string }) => id },
    { title: 'N', text: ({ id }: { id: string }) => String(id.length), isRight: true },
    { title: 'TEXT', text: () => 'x'.repeat(60), paint: (_row: unknown, text: string) => `<${text}>` },
  ]
  const printed = textTable([{ id: 'a' }, { id: 'long' }], columns, plain)
  t.equal(printed, `ID    N  TEXT\na     1  <${'x'.repeat(60)}>\nlong  4  <${'x'.repeat(60)}>`)
  const cut = textTable([{ id: 'long' }], columns, colourful).split('\n')
  t.equal(cut[0], '\x1b[1mID\x1b[22m    \x1b[1mN\x1b[22m  \x1b[1mTEXT\x1b[22m')
  t.equal(cut[1], `long  4  <${'x'.repeat(30)}…>`)
  const wide = textTable(
    [{ id: '日本' }, { id: 'a' }],
    [columns[0]!, { title: 'TEXT', text: () => '👍🏽한é'.repeat(20) }],
    {
      ...plain,
      columns: 20,
    },
  )
  t.equal(wide, 'ID    TEXT\n日本  👍🏽한é👍🏽한é👍🏽…\na     👍🏽한é👍🏽한é👍🏽…', 'wide characters take two columns')
})

t.test('prints a manual page for each subcommand', async (t) => {
  const pages = manPages({ rows, subcommands, version: '1.2.3' })
  t.same(Object.keys(pages), ['shellphone.1', ...Object.keys(subcommands).map((name) => `shellphone-${name}.1`)])
  t.match(pages['shellphone.1'], /^\.TH SHELLPHONE 1 "" "shellphone 1\.2\.3"/)
  t.match(pages['shellphone.1']!.replaceAll('\\-', '-'), '(an integer from 0 to 65535; default: 8029; SHELLPHONE_PORT)')
  t.match(pages['shellphone.1'], /\.SH FILES\n[^]*remotes\.json/)
  t.match(pages['shellphone.1'], "\n.SH EXAMPLES\n.nf\nshellphone check 'ls'\n")
  const statusOf = (page: string) => /\.SH EXIT STATUS\n(.*)/.exec(page)![1]
  t.equal(statusOf(pages['shellphone-check.1']!), '0 allow, 1 deny.', 'only its own codes')
  t.match(pages['shellphone-check.1'], "\n.SH SYNOPSIS\n.B shellphone check\n[OPTION …] 'COMMAND'\n")
  t.match(statusOf(pages['shellphone-serve.1']!), /^0 done, .*refused\.$/)
  t.match(pages['shellphone-remote.1'], /\.B add NAME \[LINK\]\nAdds\n\.RS\n\.TP\n\.B \\-\\-force\n/)
  const verb = manPage(['remote', 'add'], { rows, subcommands, version: '1.2.3' })
  t.match(
    verb,
    /^\.TH SHELLPHONE\\-REMOTE\\-ADD 1[^]*\.B shellphone remote add\n\[OPTION …\] NAME \[LINK\][^]*\\-\\-force/,
    'and of a verb',
  )
  t.notMatch(pages['shellphone-serve.1'], /--host, --port|\\-\\-host, /, 'serve is a service itself')
  if (findProgram('groff', process.env.PATH ?? '') === null) return t.comment('groff is not installed')
  for (const [file, input] of Object.entries(pages)) {
    const { stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', '-k'], { input, encoding: 'utf8' })
    t.same({ stderr, status }, { stderr: '', status: 0 }, file)
  }
})
t.test('prints a completion script that the shell accepts', async (t) => {
  const folder = t.testdir({
    shellphone: {
      runs: "01m2b\tls 'a b'\n01m2a\tsleep 9\n01m1z\n",
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
        `${script}\nCOMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${line.length - 1}; _shellphone; printf '%s|' "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder } },
    ).trim()
  t.equal(words('shellphone', 'ch'), 'check|')
  t.equal(words('shellphone', 'check', '--p'), '--policy|--port|')
  t.match(words('shellphone', 'serve', '--max-r'), /--max-running/)
  t.equal(words('shellphone', 'fly', '--'), '|')
  t.equal(
    words('shellphone', 'logs', '01m'),
    "01m2b  (ls 'a b')|01m2a  (sleep 9)|01m1z|",
    'known runs with their commands',
  )
  t.equal(words('shellphone', 'logs', '01m2a'), '01m2a|', 'the id alone is inserted')
  t.equal(words('shellphone', 'logs', '--on', 'p'), 'phone|pad|', 'paired phones')
  t.equal(words('shellphone', 'remote', 'a'), 'add|', 'subcommands of a subcommand')
  t.equal(words('shellphone', 'remote', 'add', '--f'), '--force|')
  t.equal(words('shellphone', 'remote', 'list', '--f'), '|')
  t.match(words('shellphone', 'remote', 'show', '01m2'), /^01m2b .*\|01m2a /)
  t.equal(words('shellphone', 'config', 'set', 'poli'), 'policy|')
  t.equal(words('shellphone', 'config', 'set', 'policy', ''), 'open|guarded|supervised|strict|')
  t.equal(words('shellphone', 'config', 'set', 'port', '8'), '|', 'no setting again')
  t.match(completionScript('zsh', rows, subcommands), /bashcompinit/)
  t.match(
    completionScript('fish', rows, subcommands),
    /complete -c shellphone -n '__fish_seen_subcommand_from check' -l policy/,
  )
})
