import { bytes, count, flag, live, oneOf, orNull, path, seconds, setting, strings } from './shapes.ts'

/** The facts about a machine on which defaults depend. */
export interface Machine {
  platform: NodeJS.Platform
  /** $HOME, absolute */
  home: string
  /** $PREFIX, on Termux */
  prefix: string | undefined
}

/** Returns the settings for how commands run. To add a setting, add a row. */
export function commandSettings({ platform, home, prefix }: Machine) {
  const isAndroid = platform === 'android'
  return {
    shell: setting(
      'Shell that runs commands with `-c COMMAND`',
      path(prefix ? `${prefix}/bin/sh` : '/bin/sh'),
      '`$PREFIX/bin/sh`, else `/bin/sh`',
    ),
    working_directory: live(setting('Default working directory of commands', path(home), '`$HOME`')),
    timeout_seconds: live(setting('Default timeout of foreground commands', seconds(0.001, 86_400, 30))),
    max_timeout_seconds: live(
      setting(
        'Maximum timeout of foreground commands; longer ones are lowered to this, and the response notes it',
        seconds(0.001, 86_400, 120),
      ),
    ),
    kill_grace_seconds: setting(
      'Time between SIGTERM and SIGKILL at a cancel, and at a timeout, where it is at most 0.5 s so that timeouts stay accurate to 1 s; dialects have their own',
      seconds(0, 60, 2),
    ),
    max_length: live(
      setting(
        'Default length of the output in a response, both streams together, without the lines that the service adds',
        count(1, 10_000_000, 50_000, 'characters'),
      ),
    ),
    max_length_limit: live(
      setting(
        'Maximum `max_length`; higher values are lowered to this, and the response notes it',
        count(1, 10_000_000, 1_000_000, 'characters'),
      ),
    ),
    max_running: setting(
      'Maximum number of commands that run at the same time. Only the owner, or a token with no running command, may start the last of them',
      count(1, 256, isAndroid ? 4 : 8, 'commands'),
      '4 on Android, else 8',
    ),
    max_queued: setting(
      'Maximum number of commands that wait for a slot; further ones get 503',
      count(0, 100_000, 256, 'commands'),
    ),
    max_queue_wait_seconds: setting(
      'Longest wait for a slot; after that, a command gets 503',
      seconds(0.001, 3600, 60),
    ),
    max_background_running: setting(
      'Maximum number of running background commands, which have separate slots',
      count(1, 256, isAndroid ? 2 : 8, 'commands'),
      '2 on Android, else 8',
    ),
    max_background_seconds: live(
      setting('Default and maximum timeout of background commands', seconds(0.001, 31_536_000, 86_400)),
    ),
    terminal: live(
      setting(
        'Whether a command may have a terminal, where a user can type anything: ask (if a person approves it), off or on. A token also needs the right `shell`',
        oneOf(['ask', 'off', 'on']),
      ),
    ),
    max_terminals: setting('Maximum number of open terminals, which have separate slots', count(1, 64, 4, 'terminals')),
    terminal_idle_seconds: setting(
      'Close a terminal that nobody has read for this long',
      seconds(1, 2_000_000, 43_200),
    ),
    background_processes: setting('What to do with processes that a command leaves behind', oneOf(['end', 'keep'])),
    spawner: setting(
      "What starts commands: the launcher (built by npm ci or at the first start if a C compiler is available, otherwise the package's), or Node's child_process",
      oneOf(['auto', 'launcher', 'child_process']),
    ),
    landlock: setting(
      'Whether sandboxes may use Landlock; auto: on all systems except Android, where it has caused kernel panics',
      oneOf(['auto', 'on', 'off']),
    ),
    sandbox: live(setting('Default sandbox of commands', oneOf(['none', 'read-only', 'workspace-write']))),
    'sandbox.network': live(setting('Whether sandboxed commands may use the network by default', flag(true))),
    sandbox_floor: live(
      setting(
        'true: requests and dialects cannot get a weaker sandbox than `sandbox` and `sandbox.network`; in workspace-write, `workspace_dir`, or else `working_directory`, is writable',
        flag(false),
      ),
    ),
    'sandbox.command': setting(
      'An external sandbox to use for read-only, if it also hides `{hidden}`: `["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--tmpfs", "{hidden}"]`',
      orNull(strings('argv', null)),
    ),
    limit_cpu_seconds: live(
      setting(
        'Maximum CPU time of all processes of a command together; without the launcher, of each process',
        orNull(count(1, 86_400, null, 's')),
      ),
    ),
    limit_address_space_bytes: live(
      setting('Maximum address space of each process of a command', orNull(bytes(1_048_576, 2 ** 47, null))),
    ),
    limit_processes: live(
      setting(
        'Maximum number of processes of a command (only with the launcher); Android allows 32 for all apps together',
        orNull(count(1, 10_000, isAndroid ? 24 : null, 'processes')),
        '24 on Android, else `null`',
      ),
    ),
    limit_open_files: live(
      setting(
        'Maximum number of open files of each process of a command',
        orNull(count(3, 1_048_576, null, 'descriptors')),
      ),
    ),
    limit_file_size_bytes: live(setting('Largest file that a command may write', orNull(bytes(0, 2 ** 47, null)))),
    limit_nice: live(setting('Nice value of commands', orNull(count(0, 19, null)))),
    limit_oom_score_adj: live(
      setting(
        'OOM score added to commands, so that the kernel kills them before the service (only with the launcher)',
        orNull(count(0, 1000, 200)),
      ),
    ),
    environment: setting(
      "Environment of commands; filtered: the service's own without variables that look like secrets; minimal: a short list of safe names; full: all of it. It never contains the token or a SHELLPHONE_* variable",
      oneOf(['filtered', 'minimal', 'full']),
    ),
    environment_keep: setting('Names of variables that the filter keeps', strings('names')),
    ld_preload: setting("On Android: add termux-exec's LD_PRELOAD if it is missing and the library exists", flag(true)),
  }
}
