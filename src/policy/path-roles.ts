/** What a program's arguments are. 'path': a file for certain; 'maybe': a file if it looks like one; 'other': never one. */
import type { SimpleCommand, Word } from './script.ts'

export type Role = 'path' | 'maybe' | 'other'
export type Roles = (word: Word, index: number) => Role

// a mistake here opens a hole: only options that certainly take a value, and only values that are never opened
interface Row {
  names: string
  /** every operand is a file */
  files?: boolean
  /** so many leading operands are no files: a pattern, a program, a mode */
  lead?: number
  /** unless one of these options gave it */
  leadBy?: RegExp
  /** options whose value (the next word) is no file */
  other?: RegExp
  /** options with their value glued on, which is no file */
  glued?: RegExp
  /** options whose value is a file */
  path?: RegExp
  /** no argument is a file but the values of `path` */
  none?: boolean
}

const folder = /^(?:-a|-C|-D|--chdir|--arg-file|-o|--output)$/

const rows: readonly Row[] = [
  {
    names:
      'echo printf export true false : expr seq sleep kill pkill killall pgrep pidof type unset set shift local readonly exit return break continue wait jobs umask ulimit trap basename dirname tr yes which whereis apropos id whoami hostname uname getprop setprop settings dumpsys wm input svc service ping host stty tput clear getconf nproc uptime free getopts times test [ apt-cache sv',
    none: true,
  },
  {
    names:
      'command exec env timeout nice nohup time xargs sudo stdbuf setsid ionice doas su busybox toybox eval npx watch',
    none: true,
    path: folder,
  },
  {
    names:
      'termux-notification termux-toast termux-clipboard-set termux-tts-speak termux-vibrate termux-battery-status termux-location termux-sms-send termux-dialog termux-open-url termux-volume termux-torch termux-sensor termux-brightness termux-telephony-call termux-contact-list termux-sms-list termux-call-log termux-wifi-connectioninfo termux-clipboard-get',
    none: true,
    path: /^--image-path$/,
  },
  {
    names:
      'cat ls cd chdir pushd rm cp mv mkdir rmdir touch head tail less more wc uniq tee ln stat file du df tree realpath readlink md5sum sha256sum sha1sum xxd od hexdump strings diff cmp nl tac rev split shred unlink truncate gzip gunzip zcat bzip2 xz zip unzip base64 source . bat nano vi vim install mktemp comm join fold fmt dd',
    files: true,
  },
  {
    names: 'cut paste sort',
    files: true,
    glued: /^-[dtk]./,
    other: /^(?:-[dtkfc]|--(?:delimiter|fields|field-separator|key|output-delimiter))$/,
  },
  {
    names: 'sed gsed',
    files: true,
    lead: 1,
    leadBy: /^(?:-[nErsuz]*[ef]|--expression|--file)/,
    other: /^(?:-[nErsuz]*e|--expression)$/,
  },
  {
    names: 'awk gawk mawk nawk',
    files: true,
    glued: /^-F./,
    lead: 1,
    leadBy: /^(?:-f|--file|-E)/,
    other: /^(?:-F|-v|--field-separator|--assign)$/,
  },
  {
    names: 'grep egrep fgrep zgrep',
    files: true,
    lead: 1,
    leadBy: /^(?:-[a-zA-Z]*[ef]|--regexp|--file)/,
    other: /^(?:-[a-zA-Z]*[eABCm]|--regexp)$/,
  },
  {
    names: 'rg ugrep',
    files: true,
    lead: 1,
    leadBy: /^(?:-[a-zA-Z]*[ef]|--regexp|--file|--files$)/,
    other: /^(?:-[a-zA-Z]*[eABCmgtT]|--(?:regexp|glob|type|iglob|max-count|context))$/,
  },
  { names: 'jq yq', files: true, lead: 1, leadBy: /^(?:-[a-zA-Z]*f|--from-file)/, other: /^--(?:arg|argjson|indent)$/ },
  { names: 'chmod chown chgrp', files: true, lead: 1 },
  { names: 'perl ruby php lua', files: true, other: /^-[a-zA-Z]*[eE]$|^-r$/ },
  {
    names: 'python python3 python2 node nodejs deno bun sh bash dash ash mksh zsh ksh',
    other: /^(?:-[a-zA-Z]*[cepm]|--eval|--print|-pe)$/,
  },
  {
    names: 'find',
    files: true,
    other:
      /^-(?:i?name|i?path|i?regex|i?wholename|i?lname|type|xtype|size|[acm]time|[acm]min|perm|maxdepth|mindepth|user|group|printf|regextype|links|inum|uid|gid|newermt)$/,
  },
  { names: 'fd fdfind', files: true, lead: 1, other: /^(?:-[etdE]|--(?:extension|type|max-depth|exclude))$/ },
  {
    names: 'curl wget',
    path: /^(?:-[a-zA-Z]*[oTKcPO]|--(?:output|upload-file|config|cookie-jar|cert|key|cacert|output-document|directory-prefix|input-file|output-dir|post-file|body-file))$/,
    other: /^(?:-[a-zA-Z]*[XHAeum]|--(?:request|header|user-agent|referer|user|max-time|url))$/,
  },
  {
    names: 'git',
    other: /^(?:-a?m|-[SG]|--(?:message|author|date|format|pretty|grep|since|until))$/,
    path: /^-C$|^--(?:git-dir|work-tree)$/,
  },
  { names: 'gh glab', other: /^(?:-[tbBHR]|--(?:title|body|base|head|repo))$/ },
  {
    names: 'npm pnpm yarn pip pip3 uv cargo go docker podman kubectl helm terraform adb make',
    path: /^(?:-C|--prefix|--cwd|--dir|--manifest-path|-f|--file|-r|--requirement|-c)$/,
  },
  {
    names: 'tar bsdtar',
    path: /^(?:-[a-zA-Z]*[fCTX]|--(?:file|directory|files-from))$/,
    other: /^--(?:exclude|transform|owner|group|mode)$/,
  },
]

const byName = new Map(rows.flatMap((row) => row.names.split(' ').map((name) => [name, row] as const)))

/** The role of each word after the name. Unknown programs: whatever looks like a path. */
export function roleOf(command: SimpleCommand): Roles {
  const row = byName.get(command.name)
  if (!row) return () => 'maybe'
  const words = command.words.slice(1)
  const given = row.leadBy !== undefined && words.some((word) => row.leadBy!.test(word.prefix))
  const left = { lead: given ? 0 : (row.lead ?? 0), ended: false }
  const roles = words.map((word, index) => role(word, words[index - 1]?.literal ?? '', row, command, left))
  return (_word, index) => roles[index] ?? 'other'
}

function role(
  word: Word,
  before: string,
  row: Row,
  command: SimpleCommand,
  left: { lead: number; ended: boolean },
): Role {
  if (word.literal === '--' && !left.ended) {
    left.ended = true
    return 'other'
  }
  const option = left.ended ? '' : before
  if (row.path?.test(option)) return 'path'
  if (row.other?.test(option)) return word.prefix.startsWith('@') ? 'maybe' : 'other'
  if (!left.ended && row.glued?.test(word.prefix)) return 'other'
  if (!left.ended && /^-./.test(word.prefix)) return row.none && !row.path ? 'other' : 'maybe'
  if (row.none) {
    return (command.name === 'test' || command.name === '[') && /^-[abcdefghkprstuwxGLNOS]$/.test(option)
      ? 'path'
      : 'other'
  }
  if (left.lead > 0) {
    left.lead -= 1
    return 'other'
  }
  return row.files ? 'path' : 'maybe'
}
