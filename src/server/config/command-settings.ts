import { bytes, count, flag, live, oneOf, orNull, path, seconds, setting, strings } from './shapes.ts'

/** What a default may depend on. */
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
    working_directory: live(setting('Where commands run that name no directory', path(home), '`$HOME`')),
    timeout_seconds: live(setting('Timeout of a command that names none', seconds(0.001, 86_400, 30))),
    max_timeout_seconds: live(
      setting('Longer timeouts are lowered to this, and the reply says so', seconds(0.001, 86_400, 120)),
    ),
    kill_grace_seconds: setting('Between SIGTERM and SIGKILL at a timeout or a cancel', seconds(0, 60, 2)),
    max_length: live(
      setting(
        'Output in a reply that names no limit, both streams together',
        count(1, 10_000_000, 50_000, 'characters'),
      ),
    ),
    max_length_limit: live(
      setting(
        'Higher `max_length` values are lowered to this, and the reply says so',
        count(1, 10_000_000, 1_000_000, 'characters'),
      ),
    ),
    max_running: setting(
      'Commands at once; a token leaves the last slot to others',
      count(1, 256, isAndroid ? 4 : 8, 'commands'),
      '4 on Android, else 8',
    ),
    max_queued: setting('Commands waiting for a slot; the next one gets 503', count(0, 100_000, 256, 'commands')),
    max_queue_wait_seconds: setting('Longest wait for a slot; after it 503', seconds(0.001, 3600, 60)),
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
        'Whether a command may have a terminal, in which anything can be typed: no; where a person approves the opening; yes. A token needs the right `shell` for it',
        oneOf(['ask', 'off', 'on']),
      ),
    ),
    max_terminals: setting('Terminals at once; they have slots of their own', count(1, 64, 4, 'terminals')),
    terminal_idle_seconds: setting(
      'A terminal that nobody has read for so long is ended',
      seconds(1, 2_000_000, 43_200),
    ),
    background_processes: setting('What becomes of processes that a command leaves behind', oneOf(['end', 'keep'])),
    spawner: setting(
      "What starts commands: the launcher (built by npm ci or at the first start where there is a C compiler, else the package's own), or Node's child_process",
      oneOf(['auto', 'launcher', 'child_process']),
    ),
    landlock: setting(
      'Whether boxes may use Landlock; auto: everywhere but on Android, where it has made kernels panic',
      oneOf(['auto', 'on', 'off']),
    ),
    sandbox: live(setting('The box of commands that name none', oneOf(['none', 'read-only', 'workspace-write']))),
    'sandbox.network': live(setting('Whether boxed commands that do not say may use the network', flag(true))),
    sandbox_floor: live(
      setting(
        'true: no request and no dialect gets a looser box than `sandbox` and `sandbox.network` say; workspace-write then leaves `workspace_dir`, else `working_directory`, writable',
        flag(false),
      ),
    ),
    'sandbox.command': setting(
      'An external box that stands in for read-only, if it hides `{hidden}` too: `["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--tmpfs", "{hidden}"]`',
      orNull(strings('argv', null)),
    ),
    limit_cpu_seconds: live(setting('CPU time of each process of a command', orNull(count(1, 86_400, null, 's')))),
    limit_address_space_bytes: live(
      setting('Address space of each process of a command', orNull(bytes(1_048_576, 2 ** 47, null))),
    ),
    limit_processes: live(
      setting(
        'Processes of a command at once (launcher alone): Android allows 32 for all apps together',
        orNull(count(1, 10_000, isAndroid ? 24 : null, 'processes')),
        '24 on Android, else `null`',
      ),
    ),
    limit_open_files: live(
      setting('Open files of each process of a command', orNull(count(3, 1_048_576, null, 'descriptors'))),
    ),
    limit_file_size_bytes: live(setting('Size of a file that a command writes', orNull(bytes(0, 2 ** 47, null)))),
    limit_nice: live(setting('Politeness of commands', orNull(count(0, 19, null)))),
    limit_oom_score_adj: live(
      setting(
        'How much sooner than the service the kernel ends a command when memory runs out (launcher alone)',
        orNull(count(0, 1000, 200)),
      ),
    ),
    environment: setting(
      "Environment of commands: the service's own less what looks like a secret; a short list of safe names; or all of it. Never the token, never a SHELLPHONE_* name",
      oneOf(['filtered', 'minimal', 'full']),
    ),
    environment_keep: setting('Names that the filter lets through all the same', strings('names')),
    ld_preload: setting(
      "On Android: add termux-exec's LD_PRELOAD where it is missing and the library exists",
      flag(true),
    ),
  }
}
