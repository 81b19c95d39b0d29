/** Variables that decide which programs run. They are checked in a request's `env`, in `export X=…` and in `env X=…`. */
import { harmlessKeys } from './git.ts'
import { isCommand } from './rows.ts'

/**
 * 'command': the value is shell code or a program; 'file': a script or library that runs before the command; 'settings': options or
 * configuration that can name either of those; 'search': directories in which programs and modules are searched for.
 */
export interface Variable {
  is: 'command' | 'file' | 'settings' | 'search'
  reason: string
  names: RegExp
  harmlessValues: RegExp | null // values that start nothing; null: any value may start something
}

// names or patterns, separated by spaces or line breaks
const patternOf = (names: string) => new RegExp(`^(?:${names.trim().replace(/\s+/g, '|')})$`)

export const variables: readonly Variable[] = [
  {
    is: 'command',
    reason: 'the program that others start',
    names: patternOf(String.raw`
      \w*PAGER \w*EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE GIT_SSH(?:_COMMAND)? GIT_EXTERNAL_DIFF
      GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH PROMPT_COMMAND MAILCAP
      FCEDIT MANPAGER MANROFFOPT CC CXX LD RUSTC RUSTC_WRAPPER CARGO_BUILD_RUSTC\w* TERMINAL SHELL
      FZF_DEFAULT_COMMAND GIT_CONFIG_VALUE_\d+ \w*(?:_RSH|PASSCOMMAND|_COMMAND|_CMD|_WRAPPER)
    `),
    harmlessValues: null,
  },
  {
    is: 'file',
    reason: 'code that runs before the command',
    names: patternOf(`
      BASH_ENV ENV PYTHONSTARTUP LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES PERL5DB INPUTRC VIMINIT EXINIT
      GVIMINIT NODE_REPL_EXTERNAL_MODULE PYTHONBREAKPOINT PYTHONINSPECT OPENSSL_CONF GCONV_PATH GIT_TEMPLATE_DIR
    `),
    harmlessValues: /^$|^[\w.-]*$|libtermux-exec[\w.-]*\.so$/,
  },
  {
    is: 'settings',
    reason: 'options or configuration of other programs',
    names: patternOf(String.raw`
      NODE_OPTIONS PERL5OPT RUBYOPT GREP_OPTIONS MAKEFLAGS GNUMAKEFLAGS MFLAGS JAVA_TOOL_OPTIONS _JAVA_OPTIONS
      JDK_JAVA_OPTIONS MANOPT LESS RUSTFLAGS GOFLAGS FZF_DEFAULT_OPTS SHELLOPTS BASHOPTS PS4 IFS BASH_FUNC.*
      GIT_CONFIG(?!_(?:KEY|VALUE)_)\w* NPM_CONFIG_\w+ npm_config_\w+ CARGO_\w+ SQLITE_\w+ PGOPTIONS LESSKEYIN?
      LESSKEY_SYSTEM
    `),
    harmlessValues:
      /^(?!.*(?:agent|require|import|load|exec|eval|plugin))(?:[-\w\s.,+:%]*|--(?:max[-_]old[-_]space[-_]size|no-warnings|trace-\w+|enable-source-maps|unhandled-rejections|stack-trace-limit)(?:=\w+)?|-[jkDCWTRFXeSsMmiqn\d]+|\/dev\/null)$/,
  },
  {
    is: 'settings',
    reason: 'words that a program reads before its own',
    names: patternOf('TAR_OPTIONS RIPGREP_CONFIG_PATH RSYNC_PARTIAL_DIR ZIPOPT UNZIP UNZIPOPT'),
    harmlessValues: null,
  },
  {
    is: 'settings',
    reason: 'configuration that can name a program',
    names: patternOf('GIT_CONFIG_KEY_\\d+'),
    harmlessValues: harmlessKeys,
  },
  {
    is: 'search',
    reason: 'where the system searches for programs, modules or configuration',
    names: patternOf(String.raw`
      PATH CDPATH LD_LIBRARY_PATH DYLD_\w+ LD_\w+ NODE_PATH PYTHON\w+ PERL\w+ RUBY\w+ LUA_\w+ AWKPATH AWKLIBPATH
      GIT_\w+ GO\w* CLASSPATH TERMINFO\w* EXECIGNORE HOME XDG_CONFIG_HOME XDG_DATA_HOME GNUPGHOME PREFIX
      PSModulePath CMAKE_\w*PATH PKG_CONFIG_PATH
    `),
    harmlessValues: null,
  },
]

/** Files that git, a shell or another program later runs automatically. */
export const runsLater =
  /(?:^|\/)(?:\.git\/(?:hooks\/|config$)|\.bashrc|\.profile|\.bash_profile|\.zshrc|\.mkshrc|\.npmrc|\.gitconfig|\.vimrc|\.inputrc|crontab)/

/** Returns the row for a variable's name; undefined if it has no row. */
export function variableOf(name: string): Variable | undefined {
  return variables.find(({ names }) => names.test(name))
}

// names without a row whose ending indicates code, options or configuration
const suspiciousNames =
  /(?:CMD|COMMAND|EXEC\w*|SHELL|VIEWER|HOOKS?|RSH|DIFF|EDIT|MERGE|OPTS?|OPTIONS|ARGS|FLAGS|ADDOPTS|CONFIG\w*|CFG|CONF|RC|RCPATH|RC_USER|INIT\w*|STARTUP|PRELOAD|PLUG\w*|EXTENSIONS?|LIBS?|LIBRARY\w*|MODULES?|LOADER|PROG(?:RAM)?|PERF|PREFIX|PROVIDER|WRAPPER|HELPER|PRINTER|COMPILER|LINKER|BACKEND|LAUNCHER|RUNNER|INTERPRETER|PYTHON|PERL|NODE|JAVA_HOME|M4|AWK|SED|MAKE|TAR)$/
const harmlessNames =
  /^(?:TMPDIR|TMP|TEMP|PWD|OLDPWD|LANG|LANGUAGE|LC_\w+|TZ|TZDIR|TERM|COLUMNS|LINES|\w*_URL|\w*_PROXY|\w*_proxy|NO_COLOR|CI|USER|LOGNAME)$/

/** Returns whether a variable may decide which programs run: it has a row, or its name or value indicates it. */
export function maySteer(name: string, value: string | null): boolean {
  if (variableOf(name) || suspiciousNames.test(name)) return true
  if (harmlessNames.test(name)) return false
  return value === null || /[/`$|!;(]/.test(value) || isCommand(value.split(/\s/, 1)[0]!)
}
