/** Programs that reach other machines. */
import { changes, type Effect, harms, hidden, network as reached, unknownFiles, when } from './effect.ts'
import { moved, readWhole } from './paths.ts'
import { asks, type Call, firstOf, has, says, valuesOfOption } from './program.ts'
import { literalWord } from '../script/script.ts'
import { readTable } from './table.ts'

// what stands behind the host runs there
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

export const network = readTable(
  String.raw`
curl! = others: /^-K|^--config|^--engine/;
  text: X H A e u m C r U x y Y Q request header user-agent referer user max-time range proxy retry connect-timeout resolve limit-rate; maybe: d F b w data data-binary data-raw data-urlencode form form-string json cookie write-out url variable; write: o O-dir output cookie-jar c dump-header D trace trace-ascii output-dir stderr; read: T upload-file E cert key cacert netrc-file; script: K config
wget! aria2c fetch http https xh = script: config conf-path; maybe: e execute; text: U t w Q header user-agent tries timeout user password; write: O o P a output-document output-file directory-prefix append-output save-cookies dir out; read: i input-file post-file body-file load-cookies ca-certificate certificate private-key; code: use-askpass on-download-complete on-download-start on-bt-download-complete;
  others: /^--use-askpass|^-e$|^--execute|^--on-|^--conf/
ssh autossh mosh dbclient rsh rlogin (text) = ordered; text: b c D e I J L l m O p Q R W w B; maybe: o; read: E i S; script: F;
  others: /Command|PermitLocal|XAuthLocation|SecurityKeyProvider|PKCS11|^-[SFIJ]|^--(?:ssh|server|client)/i
scp = remote; does: network administers; text: c J l o P; read: i; script: F; code: S; others: /Command|PermitLocal|^-[SFD]/i
sftp = remote; does: network administers; text: c J l o P B R; read: i; script: F b; code: S; others: /Command|PermitLocal|^-[SFbD]/i;
  language: escape; interactive
rclone (text maybe) = remote; does: network;
  text: max-depth transfers bwlimit include exclude; read: config filter-from; list: files-from; code: password-command;
  looks: ls lsl lsd lsf lsjson tree size cat check about version help listremotes md5sum sha1sum ncdu;
  others: /command|mapper|^--\S*ssh|^(?:serve|rcd|mount|config|bisync)$|^:\w+,/
telnet ftp lftp cu tip (text) = others: /^\|/; language: escape; interactive; source: e c; script: f
nc! ncat! netcat (text) = does: network administers; text: p s w i q g G I O P T V X x; code: e c exec sh-exec lua-exec
ip (text) = others: /^(?:netns|vrf)$|^-b/
ifconfig (text)
ping ping6 host dig nslookup traceroute tracepath whois arp route (text) = read: f batch
`,
  {
    'curl wget': (call) => [
      ...when(!asks(call), reached),
      // their configuration names files to read and to write
      ...when(
        call.arguments.some(({ kind }) => kind === 'script'),
        unknownFiles,
      ),
    ],
    ssh: { codes: commandsIn, effects: connects },
    telnet: connects,
    'scp sftp': { codes: commandsIn },
    scp: (call) => (has(call, 'r') ? readWhole(call.operands.slice(0, -1), {}, false) : []),
    rclone: (call) => [
      ...when(/^(?:purge|delete|deletefile|rmdirs?|cleanup)$/.test(firstOf(call)), ...moved(call.operands.slice(1))),
      ...when(/^move/.test(firstOf(call)), ...moved(call.operands.slice(1, 2))),
      ...when(/^(?:sync|copy|move)/.test(firstOf(call)), changes),
    ],
    // the owner reaches the service through the network
    'ip ifconfig': (call) => when(says(call, /^down$/), harms('settings')),
  },
)
