import { deniedBy, type Example, failed, noDirectory, notApproved, type Promises, timedOut } from './example.ts'

const write = { permission: 'write' }
const unavailable =
  'Shell commands are not available in read mode — switch to write mode to execute commands without a sandbox.'
const where = 'scratchpad_read here: GET /runs/01HXYZABCDEF/output?stream=stdout&offset=0 (and stream=stderr).'

const requests: Example[] = [
  {
    name: 'defaults: read-only sandbox, 30 seconds',
    arguments: { command: "echo '$foo'" },
    result: { stdout: '$foo\n' },
    expect: {
      request: {
        command: "echo '$foo'",
        sandbox: 'read-only',
        timeoutMs: 30_000,
        killGraceMs: 200,
        scratchpad: null,
        output: { keep: 'head', maxBytes: 30_000 },
        isLossless: true,
      },
      is_error: false,
      output: '$foo\n',
    },
  },
  {
    name: 'write mode: no sandbox',
    arguments: { command: 'touch x', timeout_ms: 600_000 },
    settings: write,
    world: { noReadOnlySandbox: 'no Landlock' },
    expect: { request: { sandbox: 'none', timeoutMs: 600_000 } },
  },
  {
    name: 'unsupported platform',
    arguments: { command: 'ls' },
    world: { noReadOnlySandbox: 'this kernel has no Landlock (Linux 5.13 has)' },
    expect: { refusal: `${unavailable}\nthis kernel has no Landlock (Linux 5.13 has)`, code: 'SANDBOX_UNAVAILABLE' },
  },
  {
    name: 'sandbox lost between the question and the start',
    arguments: { command: 'ls' },
    result: { problem: { code: 'SANDBOX_UNAVAILABLE', message: 'read-only: no Landlock', about: '' } },
    expect: { is_error: true, output: `${unavailable}\nread-only: no Landlock` },
  },
  {
    name: 'sandbox = false needs write mode',
    arguments: { command: 'ls' },
    settings: { sandbox: false },
    expect: {
      refusal: 'Shell commands require write mode: sandboxed execution in read mode is disabled (sandbox = false).',
      code: 'FORBIDDEN',
    },
  },
  {
    name: 'sandbox = false in write mode',
    arguments: { command: 'ls' },
    settings: { ...write, sandbox: false },
    expect: { request: { sandbox: 'none' } },
  },
  { name: 'no command', arguments: {}, expect: { refusal: "Missing required parameter 'command'" } },
  { name: 'blank command', arguments: { command: ' ' }, expect: { refusal: "Missing required parameter 'command'" } },
  {
    name: 'wrong type',
    arguments: { command: 'ls', timeout_ms: 'soon' },
    expect: { refusal: 'timeout_ms: expected an integer greater than 0, got "soon"' },
  },
]

const formats: Example[] = [
  {
    name: 'both streams',
    arguments: { command: 'make' },
    result: { stdout: 'out\n', stderr: 'err\n' },
    expect: { is_error: false, output: 'out\n\n--- stderr ---\nerr\n' },
  },
  {
    name: 'stderr alone has no divider',
    arguments: { command: 'make' },
    result: { stderr: 'err\n' },
    expect: { output: 'err\n' },
  },
  {
    name: 'exit code if non-zero',
    arguments: { command: 'make' },
    result: failed(2, { stdout: 'out' }),
    expect: { is_error: true, output: 'out\nExit code: 2' },
  },
  {
    name: 'exit code without output',
    arguments: { command: 'false' },
    result: failed(1, {}),
    expect: { is_error: true, output: 'Exit code: 1' },
  },
  {
    name: 'a signal is exit code -1, and named',
    arguments: { command: 'kill $$' },
    result: failed(-1, { signal: 'SIGTERM' }),
    expect: { is_error: true, output: 'Exit code: -1 (SIGTERM)' },
  },
  { name: 'no output', arguments: { command: 'true' }, result: {}, expect: { output: '(no output)' } },
  {
    name: 'timeout',
    arguments: { command: 'sleep 60' },
    result: timedOut(30),
    expect: { is_error: true, output: 'Command timed out after 30000ms' },
  },
  {
    name: 'timeout keeps partial output',
    arguments: { command: 'sleep 60' },
    result: timedOut(0.3, { stdout: 'so far\n' }),
    expect: { output: 'Command timed out after 300ms\nso far\n' },
  },
  {
    name: 'canceled',
    arguments: { command: 'sleep 60' },
    result: { status: 'canceled', exit_code: -1 },
    expect: { is_error: true, output: 'Command interrupted' },
  },
  {
    name: 'bad directory',
    arguments: { command: 'ls' },
    result: { problem: noDirectory('/x') },
    expect: { is_error: true, output: 'Working directory does not exist: /x' },
  },
  {
    name: 'denied',
    arguments: { command: 'reboot' },
    result: deniedBy({ guard: 'catastrophic', reason: 'this would restart the device' }),
    expect: { is_error: true, output: 'Command denied: this would restart the device' },
  },
  {
    name: 'approval not given',
    arguments: { command: 'rm x' },
    result: notApproved({ guard: 'risk', reason: 'high risk' }, 'denied'),
    expect: { is_error: true, output: 'Command not executed: approval was refused: high risk' },
  },
]

const preview = 'x'.repeat(2000)

/** The handle, with a preview of the output. */
const largeOutput = (size: number, words: string) =>
  `<large-output name="execute_command_ABCDEF_1" size="${size}">\nOutput too large (${words}). Read with \`scratchpad_read\`, or page with \`offset\`/\`limit\` if a partial read is enough.\n${where}\n\nPreview (first 2000 bytes):\n${preview}\n...\n</large-output>`

const scratchpads: Example[] = [
  {
    name: 'scratchpad: kept under the given name',
    arguments: { command: 'cat big', scratchpad: 'big file' },
    result: { stdout: preview, stdout_bytes: 90_000 },
    expect: {
      request: { scratchpad: 'big file' },
      is_error: false,
      output: `Output saved to scratchpad "big file" (90000 bytes). Use scratchpad_read to access it.\n${where}`,
    },
  },
  {
    name: 'scratchpad: beyond the storage limit, the text names the loss',
    arguments: { command: 'cat huge', scratchpad: 'huge' },
    result: { stdout: preview, stdout_bytes: 90_000, storedBytes: { stdout: 70_000, stderr: 0 } },
    expect: {
      is_error: true,
      output: `Output partly saved to scratchpad "huge" (90000 bytes). Use scratchpad_read to access it.\n${where}\nstdout: only the first 70000 of 90000 bytes are stored.`,
    },
  },
  {
    name: 'oversized output beyond the storage limit',
    arguments: { command: 'cat huge' },
    result: { stdout: preview, stdout_bytes: 30_001, storedBytes: { stdout: 30_000, stderr: 0 } },
    expect: {
      is_error: true,
      output: largeOutput(30_001, '29.3 KB').replace(
        where,
        `${where}\nstdout: only the first 30000 of 30001 bytes are stored.`,
      ),
    },
  },
  {
    name: 'scratchpad: a failure still says its exit code',
    arguments: { command: 'false', scratchpad: 'a' },
    result: failed(1, {}),
    expect: {
      is_error: true,
      output: `Output saved to scratchpad "a" (0 bytes). Use scratchpad_read to access it.\n${where}\nExit code: 1`,
    },
  },
  {
    name: 'oversized output becomes a handle and a preview',
    arguments: { command: 'cat big' },
    result: { stdout: 'x'.repeat(30_000), stdout_bytes: 30_001 },
    expect: {
      output: largeOutput(30_001, '29.3 KB'),
    },
  },
  {
    name: 'oversized by both streams together',
    arguments: { command: 'cat big' },
    result: {
      stdout: 'x'.repeat(20_000),
      stdout_bytes: 20_000,
      stderr: 'y'.repeat(10),
      stderr_bytes: 1_048_576,
    },
    expect: {
      output: largeOutput(1_068_592, '1.0 MB'),
    },
  },
  {
    name: 'oversized output by bytes that were never given',
    arguments: { command: 'cat big' },
    result: { stdout: preview, stdout_bytes: 30_001 },
    expect: { output: largeOutput(30_001, '29.3 KB') },
  },
  {
    name: 'bytes that are no text count as what they are',
    arguments: { command: 'cat binary' },
    result: {
      stdout: '\ufffd'.repeat(20_000),
      stdout_bytes: 20_000,
      givenBytes: { stdout: 20_000, stderr: 0 },
    },
    expect: { output: '\ufffd'.repeat(20_000) },
  },
  {
    name: 'just small enough to be given whole',
    arguments: { command: 'cat big' },
    result: { stdout: 'x'.repeat(30_000) },
    expect: { output: 'x'.repeat(30_000) },
  },
]

export const promises: Promises = {
  tool: 'execute_command',
  parameters: [
    ['command', 'string', undefined, true],
    ['timeout_ms', 'integer', 30_000, false],
    ['scratchpad', 'string', undefined, false],
  ],
  settings: { permission: 'read', sandbox: true },
  examples: [...requests, ...formats, ...scratchpads],
}
