/** Variables that decide which programs run, or that make programs run others: one table for a request's `env`, `export X=…` and `env X=…`. */
import { calmKeys } from './git.ts'
import { isCommand } from './rows.ts'
import { patternOf } from './table.ts'

/**
 * 'command': its value is shell code or a program; 'file': a script or library that runs before the command; 'settings': options or
 * configuration that can name either; 'search': where programs and modules are looked for.
 */
export interface Variable {
  is: 'command' | 'file' | 'settings' | 'search'
  reason: string
  names: RegExp
  calm: RegExp | null // values that start nothing
}

const table = String.raw`
command: the program that others start
  \w*PAGER \w*EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE GIT_SSH(?:_COMMAND)? GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH SVN_SSH PROMPT_COMMAND MAILCAP FCEDIT MANPAGER MANROFFOPT CC CXX LD RUSTC RUSTC_WRAPPER CARGO_BUILD_RUSTC\w* TERMINAL SHELL FZF_DEFAULT_COMMAND GIT_CONFIG_VALUE_\d+ \w*(?:_RSH|PASSCOMMAND|_COMMAND|_CMD|_WRAPPER)
file: code that runs before the command calm /^$|^[\w.-]*$|libtermux-exec[\w.-]*\.so$/
  BASH_ENV ENV PYTHONSTARTUP LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES PERL5DB INPUTRC VIMINIT EXINIT GVIMINIT NODE_REPL_EXTERNAL_MODULE PYTHONBREAKPOINT PYTHONINSPECT OPENSSL_CONF GCONV_PATH GIT_TEMPLATE_DIR
settings: options or configuration of other programs calm /^(?!.*(?:agent|require|import|load|exec|eval|plugin))(?:[-\w\s.,+:%]*|--(?:max[-_]old[-_]space[-_]size|no-warnings|trace-\w+|enable-source-maps|unhandled-rejections|stack-trace-limit)(?:=\w+)?|-[jkDCWTRFXeSsMmiqn\d]+|\/dev\/null)$/
  NODE_OPTIONS PERL5OPT RUBYOPT GREP_OPTIONS MAKEFLAGS GNUMAKEFLAGS MFLAGS JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MANOPT LESS RUSTFLAGS GOFLAGS FZF_DEFAULT_OPTS SHELLOPTS BASHOPTS PS4 IFS BASH_FUNC.* GIT_CONFIG(?!_(?:KEY|VALUE)_)\w* NPM_CONFIG_\w+ npm_config_\w+ CARGO_\w+ SQLITE_\w+ PGOPTIONS LESSKEYIN? LESSKEY_SYSTEM
settings: words that a program reads before its own
  TAR_OPTIONS RIPGREP_CONFIG_PATH RSYNC_PARTIAL_DIR ZIPOPT UNZIP UNZIPOPT
settings: configuration that can name a program calm ${calmKeys}
  GIT_CONFIG_KEY_\d+
search: where programs, modules or configuration are looked for
  PATH CDPATH LD_LIBRARY_PATH DYLD_\w+ LD_\w+ NODE_PATH PYTHON\w+ PERL\w+ RUBY\w+ LUA_\w+ AWKPATH AWKLIBPATH GIT_\w+ GO\w* CLASSPATH TERMINFO\w* EXECIGNORE HOME XDG_CONFIG_HOME XDG_DATA_HOME GNUPGHOME PREFIX PSModulePath CMAKE_\w*PATH PKG_CONFIG_PATH
`

export const variables: readonly Variable[] = [...table.matchAll(/^(\w+): (.*?)(?: calm (.*))?\n {2}(.*)$/gm)].map(
  ([, is, reason, calm, names]) => ({
    is: is as Variable['is'],
    reason: reason!,
    names: new RegExp(`^(?:${names!.replaceAll(' ', '|')})$`),
    calm: calm ? patternOf(calm) : null,
  }),
)

/** Files that git, a shell or another program runs by itself later on. */
export const runsLater =
  /(?:^|\/)(?:\.git\/(?:hooks\/|config$)|\.bashrc|\.profile|\.bash_profile|\.zshrc|\.mkshrc|\.npmrc|\.gitconfig|\.vimrc|\.inputrc|crontab)/

/** The row for a variable's name; undefined for one that runs nothing. */
export function variableOf(name: string): Variable | undefined {
  return variables.find(({ names }) => names.test(name))
}

// of names that no row has: by what their ends say
const telling =
  /(?:CMD|COMMAND|EXEC\w*|SHELL|VIEWER|HOOKS?|RSH|DIFF|EDIT|MERGE|OPTS?|OPTIONS|ARGS|FLAGS|ADDOPTS|CONFIG\w*|CFG|CONF|RC|RCPATH|RC_USER|INIT\w*|STARTUP|PRELOAD|PLUG\w*|EXTENSIONS?|LIBS?|LIBRARY\w*|MODULES?|LOADER|PROG(?:RAM)?|PERF|PREFIX|PROVIDER|WRAPPER|HELPER|PRINTER|COMPILER|LINKER|BACKEND|LAUNCHER|RUNNER|INTERPRETER|PYTHON|PERL|NODE|JAVA_HOME|M4|AWK|SED|MAKE|TAR)$/
const harmless =
  /^(?:TMPDIR|TMP|TEMP|PWD|OLDPWD|LANG|LANGUAGE|LC_\w+|TZ|TZDIR|TERM|COLUMNS|LINES|\w*_URL|\w*_PROXY|\w*_proxy|NO_COLOR|CI|USER|LOGNAME)$/

/** Whether a variable may decide which programs run: it has a row, or its name or value says so. */
export function maySteer(name: string, value: string | null): boolean {
  if (variableOf(name) || telling.test(name)) return true
  if (harmless.test(name)) return false
  return value === null || /[/`$|!;(]/.test(value) || isCommand(value.split(/\s/, 1)[0]!)
}
