/** Programs that reach other machines. */
import type { Effect } from './effect.ts'
import { pathOf } from './paths.ts'
import { type Call, has, type Program } from './program.ts'

const reaches = (call: Call): Effect[] =>
  call.words.length > 0 && call.words.every(({ literal }) => literal === '--version' || literal === '--help')
    ? []
    : [{ does: 'network' }]
const connects = (call: Call): Effect[] =>
  call.operands.length > 0 ? [{ does: 'network', shell: true }] : [{ does: 'network' }]

export const network: readonly Program[] = [
  {
    names: 'curl',
    operands: 'maybe',
    options: {
      text: 'X H A e u m b w C r U x y Y Q request header user-agent referer user max-time cookie write-out range proxy retry connect-timeout url resolve limit-rate',
      maybe: 'd F data data-binary data-raw data-urlencode form json',
      write: 'o O-dir output cookie-jar c dump-header D trace trace-ascii output-dir stderr',
      read: 'T upload-file E cert key cacert netrc-file K config',
    },
    others: /^-K|^--config|^--engine/,
    effects: reaches,
    examples: { 'curl -d@/etc/x y': 'reads /etc/x', 'curl -o/etc/x y': 'writes /etc/x' },
  },
  {
    names: 'wget aria2c fetch lftp http https xh',
    operands: 'maybe',
    options: {
      text: 'U t T w Q e header user-agent tries timeout user password',
      write: 'O o P a output-document output-file directory-prefix append-output save-cookies dir out',
      read: 'i input-file post-file body-file load-cookies ca-certificate certificate private-key',
      code: 'use-askpass on-download-complete on-download-start on-bt-download-complete',
    },
    others: /^--use-askpass|^-e$|^--execute|^--on-/,
    effects: reaches,
    examples: { 'wget -O /x y': 'writes /x' },
  },
  {
    names: 'ssh autossh mosh sshpass dbclient rsh rlogin',
    ordered: true,
    options: { text: 'b c D e I J L l m O o p Q R W w B', read: 'E F i S' },
    operands: 'text',
    others: /ProxyCommand|LocalCommand|PermitLocal|KnownHostsCommand|^-S|^-F/i,
    effects: connects,
    examples: { 'ssh host ls': 'network' },
  },
  {
    names: 'scp sftp',
    operands: 'maybe',
    options: { text: 'c J l o P R s D B', read: 'F i b', code: 'S' },
    others: /ProxyCommand|LocalCommand|PermitLocal|^-S|^-F|^-b/i,
    effects: (call) => [
      { does: 'network' },
      { does: 'administers' },
      ...(has(call, 'r')
        ? call.operands.slice(0, -1).map((word): Effect => ({
            does: 'reads',
            recursive: true,
            path: pathOf(word, false),
          }))
        : []),
    ],
    examples: { 'scp a h:b': 'network' },
  },
  {
    names: 'telnet ftp',
    operands: 'text',
    effects: connects,
    code: { language: 'escape', stdin: true },
    examples: { 'telnet host': 'network' },
  },
  {
    names: 'nc ncat netcat',
    operands: 'text',
    options: { text: 'p s w i q g G I O P T V X x', code: 'e c exec sh-exec lua-exec' },
    effects: () => [{ does: 'network' }, { does: 'administers' }],
    examples: { 'nc -e id h 1': 'runs' },
  },
  {
    names: 'ping ping6 host dig nslookup traceroute tracepath ip ifconfig netstat ss whois arp route',
    operands: 'text',
    options: { read: 'f batch' },
    examples: { 'ping x > y': 'writes y' },
  },
]
