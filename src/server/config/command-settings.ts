import { bytes, count, flag, live, oneOf, orNull, path, seconds, setting, strings } from './shapes.ts'

/** The facts about a machine that defaults depend on. */
export interface Machine {
  platform: NodeJS.Platform
  /** $HOME, absolute */
  home: string
  /** $PREFIX, on Termux */
  prefix: string | undefined
}

/** How commands run. To add a setting, add a row. */
export function commandSettings({ platform, home, prefix }: Machine) {
  const isAndroid = platform === 'android'
  return {
    shell: setting(
      'The shell that runs `-c COMMAND`',
      path(prefix ? `${prefix}/bin/sh` : '/bin/sh'),
      '`$PREFIX/bin/sh`, else `/bin/sh`',
    ),
    working_directory: live(setting('Working directory of commands that name none', path(home), '`$HOME`')),
    timeout_seconds: live(setting('Timeout of a command that names none', seconds(0.001, 86_400, 30))),
    max_timeout_seconds: live(
      setting('Longer timeouts are lowered to this, and the response says so', seconds(0.001, 86_400, 120)),
    ),
    kill_grace_seconds: setting('Time between SIGTERM and SIGKILL at a timeout or a cancel', seconds(0, 60, 2)),
    max_length: live(
      setting(
        'Output in a response to a request without a limit, both streams together',
        count(1, 10_000_000, 50_000, 'characters'),
      ),
    ),
    max_length_limit: live(
      setting(
        'Higher `max_length` values are lowered to this, and the response says so',
        count(1, 10_000_000, 1_000_000, 'characters'),
      ),
    ),
    max_running: setting(
      'Commands at once; a token leaves the last slot to others',
      count(1, 256, isAndroid ? 4 : 8, 'commands'),
      '4 on Android, else 8',
    ),
    max_queued: setting('Commands that wait for a slot; further ones get 503', count(0, 100_000, 256, 'commands')),
    max_queue_wait_seconds: setting('Longest wait for a slot; then 503', seconds(0.001, 3600, 60)),
    max_background_running: setting(
      'Background commands at once; they have slots of their own',
      count(1, 256, isAndroid ? 2 : 8, 'commands'),
      '2 on Android, else 8',
    ),
    max_background_seconds: live(
      setting('Timeout of a background command, and its maximum', seconds(0.001, 31_536_000, 86_400)),
    ),
    terminal: live(
      setting(
        'Whether a command may have a terminal, in which anything can be typed: if a person approves it, never, or always. A token also needs the right `shell`',
        oneOf(['ask', 'off', 'on']),
      ),
    ),
    max_terminals: setting('Terminals at once; they have slots of their own', count(1, 64, 4, 'terminals')),
    terminal_idle_seconds: setting('End a terminal that nobody has read for this long', seconds(1, 2_000_000, 43_200)),
    background_processes: setting('What to do with processes that a command leaves behind', oneOf(['end', 'keep'])),
    spawner: setting(
      "What starts commands: the launcher (built by npm ci or at the first start if there is a C compiler, otherwise the package's), or Node's child_process",
      oneOf(['auto', 'launcher', 'child_process']),
    ),
    landlock: setting(
      'Whether sandboxes may use Landlock; auto: everywhere except on Android, where it has made kernels panic',
      oneOf(['auto', 'on', 'off']),
    ),
    sandbox: live(setting('Sandbox of commands that name none', oneOf(['none', 'read-only', 'workspace-write']))),
    'sandbox.network': live(setting('Whether sandboxed commands may use the network if they do not say', flag(true))),
    sandbox_floor: live(
      setting(
        'true: no request and no dialect gets a weaker sandbox than `sandbox` and `sandbox.network`; workspace-write then leaves `workspace_dir`, or else `working_directory`, writable',
        flag(false),
      ),
    ),
    'sandbox.command': setting(
      'An external sandbox to use for read-only, if it also hides `{hidden}`: `["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--tmpfs", "{hidden}"]`',
      orNull(strings('argv', null)),
    ),
    limit_cpu_seconds: live(setting('CPU time of each process of a command', orNull(count(1, 86_400, null, 's')))),
    limit_address_space_bytes: live(
      setting('Address space of each process of a command', orNull(bytes(1_048_576, 2 ** 47, null))),
    ),
    limit_processes: live(
      setting(
        'Processes of a command at once (with the launcher only); Android allows 32 for all apps together',
        orNull(count(1, 10_000, isAndroid ? 24 : null, 'processes')),
        '24 on Android, else `null`',
      ),
    ),
    limit_open_files: live(
      setting('Open files of each process of a command', orNull(count(3, 1_048_576, null, 'descriptors'))),
    ),
    limit_file_size_bytes: live(setting('Largest file that a command may write', orNull(bytes(0, 2 ** 47, null)))),
    limit_nice: live(setting('Nice value of commands', orNull(count(0, 19, null)))),
    limit_oom_score_adj: live(
      setting(
        'OOM score added to commands, so that the kernel kills them before the service (with the launcher only)',
        orNull(count(0, 1000, 200)),
      ),
    ),
    environment: setting(
      "Environment of commands: the service's own without what looks like a secret, a short list of safe names, or all of it; never the token or a SHELLPHONE_* variable",
      oneOf(['filtered', 'minimal', 'full']),
    ),
    environment_keep: setting('Variables that the filter keeps', strings('names')),
    ld_preload: setting("On Android: add termux-exec's LD_PRELOAD if it is missing and the library exists", flag(true)),
  }
}
