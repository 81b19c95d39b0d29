/** Programs that partition, erase and encrypt disks, manage volumes, or copy raw blocks. */
import { cutWord } from '../script/script.ts'
import { administers, type Effect, when } from './effect.ts'
import {
  always,
  device,
  onAny,
  onDevice,
  onOperands,
  type Test,
  unless,
  unlessFirst,
  withOption,
  withOther,
  withOtherVerb,
} from './disk-effects.ts'
import { written } from './paths.ts'
import { anyOperandLike, type Call, has, hasOther, isOn, wantsHelp } from './program.ts'
import { table } from './table.ts'

// the commands after the device of which each prints only, with their abbreviations
const prints =
  /^(?:\s*(?:p(?:r|ri|rin|rint)?(?:\s+(?:devices|free|list|all|\d+))?|u(?:n|ni|nit)?\s+\S+|q(?:u|ui|uit)?|ver\w*|h(?:e|el|elp)?(?:\s+[\w-]+)?|a\w*(?:-check)?\s+(?:min\w*|opt\w*)\s+\d+|sel\w*\s+\S+)(?=\s|$))+\s*$/
function partitions(call: Call): boolean {
  const [, ...commands] = call.operands
  if (commands.length === 0) return !has(call, 'l list h help v version')
  return !prints.test(commands.map(({ literal }) => literal ?? '?').join(' '))
}

const readsTable =
  'p print i info v verify D display-alignment E end-of-largest f first-in-largest F first-aligned-in-largest ' +
  'L list-types O print-mbr a set-alignment b backup V version'
// -R writes to the second disk at once, even with -P
const edits: Test = (call) => has(call, 'R replicate') || (!has(call, 'P pretend') && hasOther(call, readsTable))

const listsPartitions = 'd dump J json l list F list-free g show-geometry s show-size T list-types V verify'
const formatsList = 'o output q quiet u unit color lock no-reread f force'
// the last of several actions applies, so one that lists does not cancel one that writes
const rewrites = unless(
  'n no-act',
  (call) => !has(call, listsPartitions) || hasOther(call, `${listsPartitions} ${formatsList}`),
)

// options may precede the verb, so a value that was not recognised must not hide it
const encrypts: Test = (call) =>
  withOtherVerb('status luksDump isLuks luksUUID benchmark tcryptDump bitlkDump fvault2Dump')(call) ||
  has(call, 'uuid') ||
  anyOperandLike(
    call,
    /^(?:luks(?:Format|Erase|Add|Remove|Kill|Change|Convert|Header|Suspend)|erase|reencrypt|format|repair)/,
  )

const readsDrive =
  'C F g H i I t T q v V z f Istdin Istdout Iraw verbose direct offset fibmap read-sector dco-identify security-help'

const readsNvme =
  'help version list list-subsys list-ns list-ctrl id-ctrl id-ns id-domain ns-descs smart-log error-log effects-log ' +
  'endurance-log fw-log telemetry-log self-test-log sanitize-log persistent-event-log changed-ns-list-log ana-log ' +
  'get-log get-feature get-property get-ns-id get-lba-status show-regs show-topology show-hostnqn read verify'

const managesVolumes: Test = ({ operands: [first, second] }) => {
  const [verb = '', what = ''] = [first?.prefix, second?.prefix]
  if (/^(?:apfs|ap|coreStorage|cs|appleRAID|ar)$/i.test(verb)) return !/^(?:list.*|info)$/i.test(what)
  return !isOn('list info activity listFilesystems verifyDisk verifyVolume', verb) && verb !== ''
}

// the option that names the output differs: of=, and in dc3dd hof=, ofs= and wipe=
function images(call: Call): Effect[] {
  const named = (pattern: RegExp) => call.words.filter(({ prefix }) => pattern.test(prefix))
  return [
    ...written(named(/^(?:h?ofs?|wipe)=/).map((word) => cutWord(word, word.prefix.indexOf('=') + 1))),
    ...when(named(/^[io]f=/).length > 0, { does: 'images' }),
    ...when(!has(call, 'help version'), administers),
  ]
}

export const disks = table([
  // partitions and signatures
  {
    names: 'fdisk!',
    tier: 'disk',
    stream: 'devices',
    options: {
      text: `
        b sector-size C cylinders c? compatibility? H heads L? color? lock? o output S sectors t type u? units? w wipe
        W wipe-partitions
      `,
    },
    effects: onOperands(unless('l list x list-details s getsz')),
  },
  {
    names: 'sfdisk!',
    tier: 'disk',
    stream: 'devices',
    options: {
      text: `
        C cylinders color? disk-id? H heads L? lock? move-data? N partno o output relocate S sectors u unit w wipe
        W wipe-partitions X label Y label-nested
      `,
      write: 'O backup-file',
    },
    effects: onOperands(rewrites),
  },
  { names: 'parted', tier: 'disk', stream: 'devices', options: { text: 'a align' }, effects: onAny(partitions) },
  {
    names: 'sgdisk!',
    options: {
      text: `
        a set-alignment A attributes B byte-swap-name c change-name d delete h hybrid i info j adjust-main-table
        n new N largest-new r transpose t typecode T transform-bsd u partition-guid U disk-guid
      `,
      read: 'l load-backup',
      write: 'b backup R replicate',
    },
    effects: onOperands(edits),
  },
  { names: 'gdisk', effects: onAny(unless('l')) },
  { names: 'cgdisk fixparts', effects: onAny(always) },
  { names: 'cfdisk', options: { text: 'L? color? lock?' }, effects: onAny(unless('r read-only')) },
  { names: 'gpart', effects: onDevice(withOtherVerb('show list status backup')) },
  { names: 'diskutil', stream: 'devices', effects: onDevice(managesVolumes) },
  { names: 'diskpart', does: [device] },
  {
    names: 'wipefs!',
    options: { text: 'O output o offset t types backup? lock?' },
    effects: onOperands(
      unlessFirst(
        'n no-act',
        withOther('b backup f force i noheadings J json lock O output p parsable q quiet t types'),
      ),
    ),
  },
  // whole devices
  { names: 'dd! dcfldd! dc3dd! sg_dd', plain: true, tier: 'image', effects: images },
  {
    names: 'ddrescue',
    operands: 'read write',
    options: {
      text: `
        a min-read-rate b sector-size c cluster-size cpass E max-error-rate e max-bad-areas H test-mode
        i input-position K skip-size l? o output-position pause-on-error pause-on-pass r retry-passes s size T timeout
        X max-read-errors Z max-read-rate
      `,
      write: 'x? log-events log-rates log-reads mapfile-interval?',
      read: 'm domain-mapfile',
    },
  },
  {
    names: 'ntfsclone partclone* partclone.restore',
    operands: 'read',
    options: { write: 'o output O overwrite', read: 's source' },
  },
  { names: 'blkdiscard!', options: { text: 'l length o offset p step' }, effects: onOperands(always) },
  {
    names: 'blkzone',
    options: { text: 'c count l length o offset' },
    effects: onOperands(withOtherVerb('report capacity open close')),
  },
  {
    names: 'badblocks',
    options: { text: 'b c d e p t', read: 'i', write: 'o' },
    effects: onOperands(withOption('w n')),
  },
  { names: 'fdformat nwipe sg_format sg_sanitize sg_unmap sg_write_same', effects: onOperands(always) },
  { names: 'format', effects: onDevice(({ operands }) => operands.length > 0) },
  {
    names: 'hdparm!',
    options: { text: 'fibmap offset read-sector', write: 'Iraw' },
    effects: onOperands(withOther(readsDrive)),
  },
  { names: 'nvme', stream: 'devices', effects: onDevice(withOtherVerb(readsNvme)) },
  {
    names: `
      flash_erase flash_eraseall flash_image erase_image bmlwrite flashcp nandwrite nandtest ubiformat ubirmvol
      ubiupdatevol
    `,
    effects: onDevice(always),
  },
  { names: 'mtd mtd_debug', effects: onDevice(withOtherVerb('info read verify dump unlock')) },
  {
    names: 'flashrom',
    options: { text: 'c i l p', write: 'r read', read: 'w write v verify' },
    effects: onDevice(withOption('w write E erase')),
  },
  // volumes
  {
    names: 'cryptsetup!',
    options: {
      text: `
        active-name align-payload b size c cipher device-size equation h hash hotzone-size i iter-time integrity
        key-description key-slot key-size keyfile-offset keyfile-size keyslot-cipher keyslot-key-size l label
        luks2-keyslots-size luks2-metadata-size M type new-key-slot new-keyfile-offset new-keyfile-size o offset p skip
        pbkdf pbkdf-force-iterations pbkdf-memory pbkdf-parallel priority progress-frequency reduce-device-size
        resilience resilience-hash s S sector-size subsystem t T timeout token-id token-type tries uuid veracrypt-pim
      `,
      read: 'd key-file header master-key-file volume-key-file new-keyfile',
      write: 'header-backup-file',
    },
    effects: onDevice(encrypts),
  },
  { names: 'veritysetup integritysetup', effects: onDevice(withOtherVerb('verify status dump open close')) },
  {
    names: 'mdadm',
    stream: 'devices',
    options: {
      text: 'a? auto? b bitmap c config d delay e metadata i pid-file l level m mail N name n raid-devices u uuid x z',
      code: 'program alert',
    },
    effects: onDevice(
      withOther(
        'D detail detail-platform E examine X examine-bitmap examine-badblocks Q query s scan b brief Y export v verbose ' +
          't test c config h help help-options V version W wait',
      ),
    ),
  },
  { names: 'lvm', ordered: true, runs: true, orShell: true },
  {
    names: `
      pvcreate pvremove vgcreate vgextend vgremove vgreduce vgcfgrestore lvremove lvreduce lvresize lvconvert
    `,
    options: {
      text: `
        A autobackup commandprofile config devices devicesfile i I l extents L size M n name profile reportformat s S
        select u uuid Z zero
      `,
    },
    effects: onDevice(unlessFirst('t test')),
  },
  {
    names: 'dmsetup',
    options: {
      text: `
        count g gid interval j major m minor M mode o options O sort readahead S select separator target u uuid U
      `,
    },
    effects: onDevice(withOtherVerb('ls info status table deps targets version help splitname udevcookies')),
  },
  // changes that destroy nothing
  {
    names: 'losetup',
    stream: 'devices',
    options: { text: 'b sector-size j associated o offset O output sizelimit loop-ref direct-io?' },
    effects: (call) => when(call.words.length > 0 && !has(call, 'a all j associated J json l list'), administers),
  },
  {
    names: 'fstrim',
    options: { text: 'l length m minimum o offset', read: 'I listed-in' },
    effects: (call) => when(!has(call, 'n dry-run') && !wantsHelp(call), administers),
  },
])
