/** Programs that reach other machines. */
import { administers, changes, type Effect, harms, hidden, network as reached, unknownFiles, when } from './effect.ts'
import { moved, readWhole, written } from './paths.ts'
import { wantsHelp, type Call, firstOf, has, anyOperandLike, valuesOfOption } from './program.ts'
import { literalWord } from '../script/script.ts'
import { table } from './table.ts'

// the words after the host are a command that runs on it
const connects = ({ operands, program }: Call): readonly Effect[] => [
  operands.length > 0 ? { does: 'network', shell: true } : reached,
  ...when(operands.length > 1 && program!.ordered === true, hidden),
]

// ssh -o ProxyCommand=CODE
const commandsIn = (call: Call) =>
  valuesOfOption(call, 'o').flatMap((text) => {
    const code = /^\s*\w*Command\s*[\s=]\s*(.*)$/is.exec(text)?.[1]
    return code && !/^none$/i.test(code) ? [literalWord(code)] : []
  })

const downloads = (call: Call): readonly Effect[] => [
  ...when(!wantsHelp(call), reached),
  // their configuration may name files to read and write
  ...when(
    call.arguments.some(({ kind }) => kind === 'script'),
    unknownFiles,
  ),
]

// a download whose name comes from its address is written to the current directory, unless an option names another one
const saves = (names: string, elsewhere: string) => (call: Call) => [
  ...downloads(call),
  ...when(has(call, names) && !has(call, elsewhere), ...here),
]
const savesUnless = (names: string) => (call: Call) => [
  ...downloads(call),
  ...when(call.words.length > 0 && !wantsHelp(call) && !has(call, names), ...here),
]
const here = written([literalWord('.')])

// the owner reaches the service through the network
const downs = (call: Call): readonly Effect[] => when(anyOperandLike(call, /^down$/), harms('settings'))

export const network = table([
  {
    names: 'curl!',
    tier: 'download',
    startsOthers: /^-K|^--config|^--engine/,
    options: {
      text: `
        X H A e u m C r U x y Y Q request header user-agent referer user max-time range proxy retry
        connect-timeout resolve limit-rate
      `,
      maybe: 'd F b w data data-binary data-raw data-urlencode form form-string json cookie write-out url variable',
      write: `
        o O-dir output cookie-jar c dump-header D trace trace-ascii output-dir stderr etag-save hsts alt-svc libcurl
      `,
      read: 'T upload-file E cert key cacert netrc-file',
      script: 'K config',
    },
    effects: saves('O remote-name remote-name-all', 'output-dir'),
  },
  {
    names: 'wget!',
    tier: 'download',
    addsWords: 'use-askpass',
    startsOthers: /^--use-askpass|^-e$|^--execute|^--conf/,
    options: {
      script: 'config',
      maybe: 'e execute',
      text: `
        U t w Q T l A R D X I header user-agent tries timeout user password wait quota level accept reject domains
        exclude-directories include-directories limit-rate cut-dirs default-page
      `,
      write: 'O o P a output-document output-file directory-prefix append-output save-cookies warc-file',
      read: 'i input-file post-file body-file load-cookies ca-certificate certificate private-key',
      code: 'use-askpass',
    },
    effects: savesUnless('O output-document P directory-prefix spider V version h help'),
  },
  {
    names: 'aria2c',
    tier: 'download',
    startsOthers: /^--on-|^--conf/,
    options: {
      script: 'conf-path',
      text: 's x j k t m U header user-agent split max-connection-per-server max-concurrent-downloads timeout',
      write: 'd dir o out l log save-session save-cookies',
      read: 'i input-file load-cookies ca-certificate certificate private-key',
      code: 'on-download-complete on-download-start on-bt-download-complete',
    },
    effects: savesUnless('d dir S show-files v version h help'),
  },
  {
    names: 'http https xh',
    tier: 'download',
    options: { text: 'a auth timeout session', write: 'o output', read: 'cert cert-key verify' },
    effects: saves('d download', 'o output'),
  },
  { names: 'fetch', tier: 'download', options: { text: 'T w B', write: 'o', read: 'i' }, effects: savesUnless('o') },
  {
    names: 'ssh autossh mosh dbclient rsh rlogin',
    operands: 'text',
    ordered: true,
    startsOthers: /Command|PermitLocal|XAuthLocation|SecurityKeyProvider|PKCS11|^-[SFIJ]|^--(?:ssh|server|client)/i,
    options: { text: 'b c D e I J L l m O p Q R W w B', maybe: 'o', read: 'E i S', script: 'F' },
    codes: commandsIn,
    effects: connects,
  },
  {
    names: 'scp',
    last: 'write',
    remote: true,
    does: [reached, administers],
    startsOthers: /Command|PermitLocal|^-[SFD]/i,
    options: { text: 'c J l o P', read: 'i', script: 'F', code: 'S' },
    codes: commandsIn,
    effects: (call) => (has(call, 'r') ? readWhole(call.operands.slice(0, -1), {}, false) : []),
  },
  {
    names: 'sftp',
    last: 'write',
    remote: true,
    does: [reached, administers],
    startsOthers: /Command|PermitLocal|^-[SFbD]/i,
    language: 'escape',
    interactive: true,
    options: { text: 'c J l o P B R', read: 'i', script: 'F b', code: 'S' },
    codes: commandsIn,
  },
  {
    names: 'rclone',
    operands: 'text maybe',
    remote: true,
    does: [reached],
    readOnlyVerbs: 'ls lsl lsd lsf lsjson tree size cat check about version help listremotes md5sum sha1sum ncdu',
    startsOthers: /command|mapper|^--\S*ssh|^(?:serve|rcd|mount|config|bisync)$|^:\w+,/,
    options: {
      text: 'max-depth transfers bwlimit include exclude',
      read: 'config filter-from',
      list: 'files-from',
      code: 'password-command',
    },
    effects: (call) => [
      ...when(/^(?:purge|delete|deletefile|rmdirs?|cleanup)$/.test(firstOf(call)), ...moved(call.operands.slice(1))),
      ...when(/^move/.test(firstOf(call)), ...moved(call.operands.slice(1, 2))),
      ...when(/^(?:sync|copy|move)/.test(firstOf(call)), changes),
    ],
  },
  {
    names: 'telnet ftp lftp cu tip',
    operands: 'text',
    startsOthers: /^\|/,
    language: 'escape',
    interactive: true,
    options: { source: 'e c', script: 'f' },
    effects: connects,
  },
  {
    names: 'nc! ncat! netcat',
    operands: 'text',
    does: [reached, administers],
    options: { text: 'p s w i q g G I O P T V X x', code: 'e c exec sh-exec lua-exec' },
  },
  { names: 'ip', operands: 'text', startsOthers: /^(?:netns|vrf)$|^-b/, effects: downs },
  { names: 'ifconfig', operands: 'text', effects: downs },
  {
    names: 'ping ping6 host dig nslookup traceroute tracepath whois arp route',
    operands: 'text',
    options: { read: 'f batch' },
  },
])
