import { refusals } from './agent-world-refusals.ts'
import { type Example, failed, noDirectory, type Promises, timedOut } from './example.ts'

const world = { working_directory: '/world' }

/** The payloads of agent-world's documentation, and the literal words that their parameters become. */
const payloads: Example[] = [
  {
    name: 'simple listing',
    arguments: { command: 'ls', parameters: ['-la', './'] },
    settings: world,
    result: { stdout: 'README.md\n', duration_ms: 5 },
    expect: {
      request: {
        command: 'ls -la ./',
        working_directory: '/world',
        timeoutMs: 600_000,
        killGraceMs: 2000,
        policy: { single_command: true, restrict_to_workspace: true, workspace_dir: '/world' },
        ask: null,
        artifact_paths: [],
      },
      is_error: false,
      output:
        '### Command Execution\n\n**Command:** `ls -la ./`\n**Duration:** 5ms\n**Status:** ✅ Exit code 0\n\n### Standard Output (preview)\n\n```\nREADME.md\n```',
    },
  },
  {
    name: 'explicit timeout',
    arguments: { command: 'npm', parameters: ['test', '--', 'tests/core/events/'], timeout: 900_000 },
    settings: world,
    expect: { request: { command: 'npm test -- tests/core/events/', timeoutMs: 900_000 } },
  },
  {
    name: 'timeout 0 is the default',
    arguments: { command: 'ls', timeout: 0 },
    expect: { request: { timeoutMs: 600_000 } },
  },
  {
    name: 'timeout may be a fraction, and is a day at most',
    arguments: { command: 'ls', timeout: '1500.5' },
    expect: { request: { timeoutMs: 1500.5 } },
  },
  {
    name: 'timeout of years',
    arguments: { command: 'ls', timeout: 1e12 },
    expect: { request: { timeoutMs: 86_400_000 } },
  },
  {
    name: 'negative timeout',
    arguments: { command: 'ls', timeout: -1 },
    expect: {
      refusal: 'Tool parameter validation failed for shell_cmd: timeout: expected a number of at least 0, got -1',
    },
  },
  {
    name: 'model-provided directory',
    arguments: { command: 'pwd', directory: './' },
    settings: world,
    expect: { request: { command: 'pwd', working_directory: '/world' } },
  },
  {
    name: 'model-provided directory below the scope',
    arguments: { command: 'pwd', directory: '/world/sub' },
    settings: world,
    expect: { request: { working_directory: '/world/sub' } },
  },
  {
    name: 'structured output with artifacts',
    arguments: {
      command: 'npm',
      parameters: ['run', 'build'],
      output_format: 'json',
      output_detail: 'minimal',
      artifact_paths: ['dist/app.js'],
    },
    settings: world,
    result: {
      stdout: '...',
      stderr: '...',
      duration_ms: 1200,
      artifacts: [{ path: '/world/dist/app.js', sha256: 'ab12', bytes: 12_345 }],
    },
    expect: {
      request: { command: 'npm run build', artifact_paths: ['/world/dist/app.js'] },
      is_error: false,
      output:
        '{\n  "exit_code": 0,\n  "stdout": "...",\n  "stderr": "...",\n  "timed_out": false,\n  "duration_ms": 1200,\n  "artifacts": [\n    {\n      "path": "dist/app.js",\n      "sha256": "ab12",\n      "bytes": 12345\n    }\n  ]\n}',
    },
  },
  ...(
    [
      [["it's (x)"], "echo 'it'\\''s (x)'"],
      [['a|b', 'a > b', '#x', '', '$HOME', '*'], "echo 'a|b' 'a > b' '#x' '' '$HOME' '*'"],
      [['https://e.com/?a=1&b=2', '--x=a b', '`x` and `y`'], "echo 'https://e.com/?a=1&b=2' '--x=a b' '`x` and `y`'"],
      [['a\nb', '~/x', 7, true], "echo 'a\nb' '~/x' 7 true"],
      ['one', 'echo one'],
    ] as const
  ).map(([parameters, command]) => ({
    name: `each parameter is one literal word: ${command}`,
    arguments: { command: 'echo', parameters },
    expect: { request: { command } },
  })),
]

const full = { command: 'cat', parameters: ['a b'], output_detail: 'full' }

const formats: Example[] = [
  {
    name: 'markdown, full detail',
    arguments: full,
    result: { stdout: 'x'.repeat(500), stderr: 'e\n', duration_ms: 7, started_at: '2026-03-01T12:00:00.000Z' },
    expect: {
      request: { output: { keep: 'whole' } },
      output: `### Command Execution\n\n**Command:** \`cat "a b"\`\n**Duration:** 7ms\n**Executed at:** 2026-03-01T12:00:00.000Z\n**Status:** ✅ Exit code 0\n\n### Standard Output\n\n\`\`\`\n${'x'.repeat(500)}\n\`\`\`\n\n### Standard Error\n\n\`\`\`\ne\n\`\`\``,
    },
  },
  {
    name: 'markdown, bounded preview without escape codes',
    arguments: { command: 'spin' },
    result: { stdout: `\u001b[32m${'x'.repeat(401)}\u001b[0m`, duration_ms: 7 },
    expect: {
      request: { output: { keep: 'head', maxBytes: 65_536 } },
      output: `### Command Execution\n\n**Command:** \`spin\`\n**Duration:** 7ms\n**Status:** ✅ Exit code 0\n\n### Standard Output (preview)\n\n\`\`\`\n${'x'.repeat(400)}\n\`\`\`\n*(Output truncated to minimum necessary preview. Use \`output_detail: "full"\` for full output, 410 bytes.)*`,
    },
  },
  {
    name: 'markdown, full detail of more than a reply holds',
    arguments: { ...full, parameters: [] },
    result: { stdout: 'x\n', stdout_bytes: 20_000_000, stderr_bytes: 7, duration_ms: 7 },
    expect: {
      output:
        '### Command Execution\n\n**Command:** `cat`\n**Duration:** 7ms\n**Executed at:** 2026-03-01T12:00:00.000Z\n**Status:** ✅ Exit code 0\n\n### Standard Output\n\n```\nx\n```\n*(Output truncated: 19999998 more bytes.)*\n\n### Standard Error\n\n```\n\n```\n*(Error output truncated: 7 more bytes.)*',
    },
  },
  {
    name: 'json, bounded preview says how much there is',
    arguments: { command: 'x', output_format: 'json' },
    result: { stdout: 'x'.repeat(401), stderr: 'e', stderr_bytes: 70_000, duration_ms: 3 },
    expect: {
      output: `{\n  "exit_code": 0,\n  "stdout": "${'x'.repeat(400)}",\n  "stdout_truncated": true,\n  "stdout_bytes": 401,\n  "stderr": "e",\n  "stderr_truncated": true,\n  "stderr_bytes": 70000,\n  "timed_out": false,\n  "duration_ms": 3,\n  "artifacts": []\n}`,
    },
  },
  {
    name: 'markdown, no output',
    arguments: { command: 'true' },
    result: { duration_ms: 1 },
    expect: {
      is_error: false,
      output:
        '### Command Execution\n\n**Command:** `true`\n**Duration:** 1ms\n**Status:** ✅ Exit code 0\n\n*(No output)*',
    },
  },
  {
    name: 'markdown, failure',
    arguments: { command: 'false' },
    result: failed(1, { stderr: 'no ``` way', duration_ms: 1 }),
    expect: {
      is_error: true,
      output:
        '### Command Execution\n\n**Command:** `false`\n**Duration:** 1ms\n**Status:** ❌ Error\n**Error:** Command exited with code 1\n\n### Standard Error (preview)\n\n````\nno ``` way\n````',
    },
  },
  ...(
    [
      [timedOut(600), 'Command execution timed out after 600000ms'],
      [{ status: 'canceled', exit_code: -1 }, 'Command execution canceled by user'],
      [failed(-1, { signal: 'SIGSEGV' }), 'Command terminated by signal SIGSEGV'],
    ] as const
  ).map(([result, error]) => ({
    name: `markdown: ${error}`,
    arguments: { command: 'x' },
    result: { ...result, duration_ms: 3 },
    expect: {
      is_error: true,
      output: `### Command Execution\n\n**Command:** \`x\`\n**Duration:** 3ms\n**Status:** ❌ Error\n**Error:** ${error}`,
    },
  })),
  {
    name: 'json, timeout',
    arguments: { command: 'x', output_format: 'json' },
    result: timedOut(1, { stdout: 'so far\n', duration_ms: 1003 }),
    expect: {
      is_error: true,
      output:
        '{\n  "exit_code": null,\n  "stdout": "so far\\n",\n  "stderr": "",\n  "timed_out": true,\n  "duration_ms": 1003,\n  "artifacts": []\n}',
    },
  },
  {
    name: 'markdown, artifacts',
    arguments: { command: 'true', artifact_paths: ['a', 'b'] },
    result: {
      duration_ms: 1,
      artifacts: [
        { path: '/home/user/a', sha256: 'ab12', bytes: 3 },
        { path: '/home/user/b', error: 'Artifact not found: "b"' },
      ],
    },
    expect: {
      output:
        '### Command Execution\n\n**Command:** `true`\n**Duration:** 1ms\n**Status:** ✅ Exit code 0\n\n*(No output)*\n\n### Artifacts\n\n- `a`: 3 bytes, sha256 ab12\n- `b`: Artifact not found: "b"',
    },
  },
]

const faults: Example[] = [
  ...[{}, { command: '' }, { command: ' ' }].map((given) => ({
    name: `no command: ${JSON.stringify(given)}`,
    arguments: given,
    expect: { refusal: "Required parameter 'command' is missing or empty" },
  })),
  {
    name: 'words in command',
    arguments: { command: 'npm test' },
    expect: {
      refusal:
        'Invalid command format: provide a single executable in `command` and pass all arguments as separate `parameters` tokens.',
    },
  },
  {
    name: 'unknown parameter',
    arguments: { command: 'ls', cwd: '/' },
    expect: {
      refusal: "Tool parameter validation failed for shell_cmd: Unknown parameter 'cwd'; did you mean 'directory'?",
    },
  },
  {
    name: 'an older name for directory is refused, because the command would run elsewhere',
    arguments: { command: 'ls', workingDirectory: '/' },
    expect: {
      refusal:
        "Tool parameter validation failed for shell_cmd: Unknown parameter 'workingDirectory'; did you mean 'directory'?",
    },
  },
  {
    name: 'wrong type',
    arguments: { command: 'ls', output_format: 'xml' },
    expect: {
      refusal:
        'Tool parameter validation failed for shell_cmd: output_format: expected one of "markdown", "json", got "xml"',
    },
  },
  {
    name: 'bad directory at start',
    arguments: { command: 'ls', directory: 'missing' },
    settings: world,
    result: { problem: noDirectory('/world/missing') },
    expect: {
      request: { working_directory: '/world/missing' },
      is_error: true,
      output: 'Working directory does not exist: /world/missing',
    },
  },
]

export const promises: Promises = {
  tool: 'shell_cmd',
  parameters: [
    ['command', 'string', undefined, true],
    ['parameters', 'array', [], false],
    ['directory', 'string', undefined, false],
    ['timeout', 'number', 600_000, false],
    ['output_format', 'string', 'markdown', false],
    ['output_detail', 'string', 'minimal', false],
    ['artifact_paths', 'array', [], false],
  ],
  settings: { working_directory: '', tool_permission: 'auto' },
  examples: [...payloads, ...formats, ...refusals, ...faults],
}
