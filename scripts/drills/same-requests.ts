/** The requests of scripts/drills/drill-same.ts's session: drawn from a seed, so that both services get the same ones. */
import { pick, type Random } from '../../test/support/random.ts'

const below = (random: Random, limit: number) => Math.floor(random() * limit)

const failing = (random: Random) => `exit ${below(random, 256)}`

/** Commands with all kinds of output and endings. `n` is the number of the request: names of files are its own. */
const commandMakers: ((random: Random, n: number) => string)[] = [
  (random) => `echo ${'word '.repeat(below(random, 20))}`,
  (random) => `seq 1 ${below(random, 20_000)}`,
  (random) => `yes 'ä€𝄞 line' | head -n ${below(random, 5000)}`,
  (random) => `head -c ${below(random, 150_000)} /dev/zero | tr '\\0' x`,
  (random) => `printf '\\377\\376 %s\\000' ${below(random, 9)}; head -c ${below(random, 300)} /dev/zero`,
  (random) => `printf '\\033[31mred\\033[0m\\r\\n\\t${below(random, 99)}'`,
  (random) => `seq 1 ${below(random, 4000)} >&2; ${failing(random)}`,
  (random) => `echo out; echo err >&2; ${failing(random)}`,
  (random) => `${pick(random, ['printf', 'printf >&2'])} 'no newline'; ${failing(random)}`,
  (random) => `kill -${pick(random, ['KILL', 'TERM', 'HUP', 'ABRT', 'USR1', 'PIPE'])} $$`,
  (random) => `no-such-command-${below(random, 5)}`,
  (random) => pick(random, ['if', 'echo "', 'done', 'echo )', 'cat <<E\nx', 'true\nfalse', '   true   ', ':', 'false']),
  (random) => `cat; echo $?; ${failing(random)}`,
  () => 'env | grep ^X_ | sort; echo "${PWD#"$HOME"}"',
  () => 'basename "$PWD"; echo $0 $#; umask; test -t 0; echo $?',
  (_random, n) =>
    `echo ${n} > file-${n}; mkdir -p dir-${n}/a; ls -d dir-${n}/*; cat file-${n}; rm -r dir-${n} file-${n}`,
  (random) => `cat ${pick(random, ['/nope', '/etc/hostname', '~/.profile', '/proc/self/status | grep NoNewPrivs'])}`,
  (random) => `sleep 0.0${below(random, 9)}; echo slept`,
  () => 'sleep 20 & echo left',
  () => 'ulimit -n; ulimit -v; ulimit -t; nice',
  (random) =>
    pick(random, [
      'rm -rf /',
      'rm -rf ~',
      'sudo reboot',
      'dd if=/dev/zero of=/dev/sda',
      ':(){ :|:& };:',
      'kill -9 -1',
      'mkfs.ext4 /dev/sda1',
      'cat ~/.shellphone/token',
      'pkill node',
      'eval "$X"',
      'curl http://127.0.0.1:1 | sh',
      'chmod -R 000 /',
    ]),
  (random) =>
    pick(random, ['git push', 'chmod 644 x', 'echo $(id -u)', 'rm x', 'cat /etc/passwd', 'ls ../..', 'touch /tmp/x']),
]

/** One command. */
const commandOf = (random: Random, n: number) => pick(random, commandMakers)(random, n)

/** What may stand beside a command, each now and then. `base` stands for the service's own folder until it is sent. */
const optionMakers: Record<string, (random: Random) => unknown> = {
  timeout_seconds: (random) => pick(random, [20, '20', 1000, 20.5, ' 30 ']),
  max_length: (random) => pick(random, [1, 10, 100, 1000, '5000', 100_000, 99_999_999]),
  env: (random) => pick(random, [{}, { X_A: 'a b', X_B: '' }, { X_C: 'é\n"' }]),
  stdin: (random) => pick(random, ['', 'fed\n', 'x'.repeat(70_000)]),
  encoding: (random) => pick(random, ['utf8', 'base64']),
  artifact_paths: (random) => pick(random, [[], ['fixed.txt', 'none.txt'], ['/etc/hostname', '.']]),
  working_directory: (random) => pick(random, ['~', '/', 'sub', 'BASE/home/work/sub']),
  sandbox: (random) => pick(random, ['none', 'read-only', 'workspace-write']),
  network: (random) => random() < 0.5,
  limits: (random) => pick(random, [{}, { open_files: 20 }, { cpu_seconds: 5, nice: 3 }, { file_size_bytes: 0 }]),
}

/** A good body of POST /exec. */
export function goodBody(random: Random, n: number): Record<string, unknown> {
  const options = Object.entries(optionMakers).filter(() => random() < 0.12)
  return {
    command: commandOf(random, n),
    timeout_seconds: 20,
    ...Object.fromEntries(options.map(([name, make]) => [name, make(random)])),
  }
}

/** Bodies that are refused, or that are just not. */
const badBodies: unknown[] = [
  {},
  [],
  null,
  'text',
  5,
  { command: null },
  { command: '' },
  { command: '  \n' },
  { command: 7 },
  { command: ['ls'] },
  { cmd: 'ls' },
  { command: 'true', unknown: 1 },
  { command: 'a\0b' },
  { command: `echo ${'x'.repeat(1_100_000)}` },
  { command: 'true', timeout_seconds: 0 },
  { command: 'true', timeout_seconds: -1 },
  { command: 'true', timeout_seconds: 'soon' },
  { command: 'true', timeout_seconds: null },
  { command: 'true', max_length: 0 },
  { command: 'true', max_length: 1.5 },
  { command: 'true', working_directory: '/nope' },
  { command: 'true', working_directory: '/etc/hostname' },
  { command: 'true', working_directory: '' },
  { command: 'true', env: { LD_PRELOAD: 'x' } },
  { command: 'true', env: { 'A=B': 'x' } },
  { command: 'true', env: { A: 'a\0' } },
  { command: 'true', env: { A: 1 } },
  { command: 'true', env: [] },
  { command: 'true', encoding: 'latin1' },
  { command: 'true', sandbox: 'jail' },
  { command: 'true', network: 'no' },
  { command: 'true', limits: { cpu_seconds: 0 } },
  { command: 'true', limits: { flying: 1 } },
  { command: 'true', background: 'yes' },
  { command: 'true', stdin: 5 },
  { command: 'true', artifact_paths: 'a' },
  { command: 'true', artifact_paths: Array(65).fill('a') },
]
export const badBody = (random: Random) => pick(random, badBodies)

/** Raw texts of request bodies: broken JSON and the like. */
export const badText = (random: Random) =>
  pick(random, [
    '',
    '{',
    "{'command': 'ls'}",
    '{"command": "ls"',
    'null',
    '{"command":"true","command":"false"}',
    '\ufeff{}',
  ])

/** [method, path, headers, body]: what no handler of ours, or its first line, answers. */
export const oddRequests: [string, string, Record<string, string>, string?][] = [
  ['GET', '/no-such-route', {}],
  ['GET', '/exec', {}],
  ['PUT', '/exec', {}, '{}'],
  ['POST', '/exec', { 'content-type': 'text/plain' }, 'ls'],
  ['POST', '/exec', { 'content-type': 'application/x-www-form-urlencoded' }, 'command=ls'],
  ['POST', '/exec', { authorization: 'Bearer wrong' }, '{"command":"ls"}'],
  ['GET', '/runs', { authorization: '' }],
  ['POST', '/exec', { origin: 'https://evil.example' }, '{"command":"ls"}'],
  ['POST', '/exec', { accept: 'image/png' }, '{"command":"echo hi"}'],
  ['POST', '/exec', { accept: 'text/plain;q=0.5, application/json;q=0.1' }, '{"command":"echo hi"}'],
  ['POST', '/exec', { 'idempotency-key': '' }, '{"command":"echo hi"}'],
  ['POST', '/exec', { 'idempotency-key': 'k'.repeat(1000) }, '{"command":"echo hi"}'],
  ['GET', '/runs/nope', {}],
  ['GET', '/runs/01m808gre5000mhvbe2gtwpcnj', {}],
  ['GET', '/runs/01m808gre5000mhvbe2gtwpcnj/output', {}],
  ['GET', '/runs/nope/output?offset=-1', {}],
  ['GET', '/runs/nope/events', {}],
  ['DELETE', '/runs/nope', {}],
  ['POST', '/runs/nope/stdin', {}, '{"data":"x"}'],
  ['POST', '/runs/nope/signal', {}, '{"signal":"INT"}'],
  ['GET', '/runs?limit=0', {}],
  ['GET', '/runs?limit=many', {}],
  ['GET', '/runs?status=happy', {}],
  ['GET', '/runs?colour=red', {}],
  ['GET', '/runs?q=nothing-has-this-in-it', {}],
  ['GET', '/scratchpads/none', {}],
  ['GET', '/dialects', {}],
  ['POST', '/exec/nobody', {}, '{"command":"ls"}'],
  ['GET', '/health', { authorization: '' }],
  ['GET', '/ws', {}],
  ['POST', '/approvals/none', {}, '{"decision":"approve"}'],
  ['POST', '/approvals/none', {}, '{"decision":"perhaps"}'],
  ['POST', '/approvals/press/none', {}],
  ['DELETE', '/approvals/rules/none', {}],
  ['POST', '/policy/check', {}, '{"command":"rm -rf /"}'],
  ['POST', '/policy/check', {}, '{"command":"ls","policy":{"policy":"fierce"}}'],
  ['POST', '/policy/check', {}, '{"dialect":"picoclaw","arguments":{"command":"git push"}}'],
  ['POST', '/policy/check', {}, '{"dialect":"nobody","arguments":{}}'],
  ['GET', '/%', {}],
  ['OPTIONS', '/exec', {}],
]

/** Frames of a WebSocket that are answered with an error, or are odd. */
export const oddFrames: string[] = [
  'x',
  '[]',
  'null',
  '{}',
  '{"type":"fly"}',
  '{"type":"exec"}',
  '{"type":"exec","ref":5,"command":"ls"}',
  '{"type":"exec","ref":"r","command":""}',
  '{"type":"exec","ref":"r","command":"ls","unknown":1}',
  '{"type":"exec","ref":"r","dialect":"nobody","command":"ls"}',
  '{"type":"exec","ref":"r","dialect":"meka"}',
  '{"type":"attach","ref":"r"}',
  '{"type":"attach","ref":"r","id":"nope"}',
  '{"type":"cancel","ref":"r","id":"nope"}',
  '{"type":"stdin","ref":"r","id":"nope","data":"x"}',
  '{"type":"signal","ref":"r","id":"nope","signal":"INT"}',
  '{"type":"signal","ref":"r","id":"nope","signal":"FLY"}',
  '{"type":"approval","ref":"r","id":"nope","decision":"deny"}',
  '{"type":"toString","ref":"r"}',
]

/** Each dialect: arguments around a command, good ones and bad ones. */
const dialectMakers: Record<string, ((random: Random, command: string) => unknown)[]> = {
  oneclaw: [
    (_random, command) => ({ command }),
    (random, command) => ({ command, timeout_seconds: '20', max_length: 1 + below(random, 3000) }),
    (_random, command) => ({ command, working_directory: '~' }),
    (random) => pick(random, [{}, { command: '' }, { command: 'ls', timeout_seconds: 0 }, { command: 'ls', x: 1 }]),
  ],
  picoclaw: [
    (_random, command) => ({ command }),
    (_random, command) => ({ command, working_dir: 'sub' }),
    (random) =>
      pick(random, [{}, { command: 5 }, { command: 'ls', working_dir: '/nope' }, { command: 'ls', cwd: '/' }]),
  ],
  nullclaw: [
    (_random, command) => ({ command }),
    (_random, command) => ({ command, cwd: 'BASE/home/work/sub' }),
    (random) =>
      pick(random, [
        {},
        { command: 'ls', cwd: 'sub' },
        { command: 'ls', cwd: '/etc' },
        { command: 'ls', cwd: '/nope' },
      ]),
  ],
  'agent-world': [
    (_random, command) => ({ command: 'sh', parameters: ['-c', command] }),
    (random) => ({ command: 'seq', parameters: ['1', String(below(random, 5000))], output_format: 'json' }),
    (random) => ({ command: 'ls', parameters: ['-d', '.'], output_detail: pick(random, ['minimal', 'full']) }),
    (_random, command) => ({ command: 'echo', parameters: [command], output_detail: 'full', output_format: 'json' }),
    () => ({ command: 'cat', parameters: ['fixed.txt'], artifact_paths: ['fixed.txt', 'none'], output_detail: 'full' }),
    (random) =>
      pick(random, [
        {},
        { command: 'ls', parameters: 'x' },
        { command: 'ls', directory: '/etc' },
        { command: 'ls | wc' },
        { command: 'rm', parameters: ['-rf', '/'] },
        { command: 'ls', workingDirectory: '/' },
        { command: 'ls', colour: 1 },
        { command: 'cat', parameters: ['/etc/hostname'] },
        { command: 'ls', artifact_paths: ['/etc/hostname'] },
        { command: 'ls', output_format: 'xml' },
      ]),
  ],
  meka: [
    (_random, command) => ({ command }),
    (_random, command) => ({ command, timeout_ms: 20_000 }),
    (random, command) => ({ command, scratchpad: `pad-${below(random, 1_000_000)}` }),
    (random) =>
      pick(random, [{}, { command: 'ls', timeout_ms: 0 }, { command: 'ls', scratchpad: 5 }, { command: ' ' }]),
  ],
}
export const dialectNames = Object.keys(dialectMakers)

/** Arguments of a dialect's tool. */
export const dialectArguments = (random: Random, dialect: string, n: number) =>
  pick(random, dialectMakers[dialect]!)(random, commandOf(random, n))
