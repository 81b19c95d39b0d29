/** Programs that create, check and change file systems on a disk, and that list disks. */
import { changes, type Effect, when } from './effect.ts'
import {
  always,
  device,
  onAny,
  onDevice,
  onOperands,
  type Test,
  unless,
  withOption,
  withOther,
  withOtherVerb,
  withVerb,
} from './disk-effects.ts'
import { deleted } from './paths.ts'
import { type Call, has, isOn, piped, textsOf, valuesOfOption } from './program.ts'
import { table } from './table.ts'

const isExt = ({ options }: Call) =>
  options.every(({ name, value }) => !isOn('t type', name) || /^ext[234]$/.test(value?.literal ?? ''))
// whether -n is a dry run depends on the type; without the type's row, every word may be the device
const makes = (call: Call) =>
  isExt(call) ? onOperands(unless('n'))(call) : onOperands(always)({ ...call, operands: call.words })

const checks: Test = (call) => !has(call, 'n') || has(call, 'a c l L p r w y')

// receive -F destroys the data that is newer
const destroys: Test = (call) =>
  !has(call, 'n') && (withVerb('destroy rollback')(call) || (withVerb('receive recv')(call) && has(call, 'F')))

// btrfs accepts abbreviated verbs
function btrfsEffects(call: Call): readonly Effect[] {
  const text = textsOf(call).slice(0, 2).join(' ')
  const writes =
    /^d\w* (?:a|d|rem)|^rep\w* s|^resc/.test(text) ||
    (/^c/.test(text) && has(call, 'repair init-csum-tree init-extent-tree'))
  const subvolumes = /^su\w* d/.test(text) ? deleted(call.operands.slice(2), { recursive: true }) : []
  return [
    ...when(writes, device),
    ...subvolumes,
    ...when(!/ (?:show|usage|df|du|list|stats|status|get)$/.test(text), changes),
  ]
}

export const fileSystems = table([
  {
    names: 'mkfs!',
    tier: 'disk',
    options: { text: 'b e g i m o r s t type C E G I J L M N O R T U z', read: 'd l' },
    effects: makes,
  },
  {
    names: 'mkfs.ext2! mkfs.ext3! mkfs.ext4! mke2fs! mke2fs.android',
    tier: 'disk',
    options: { text: 'b e g i m o r s t C E G I J L M N O R T U z', read: 'd l' },
    effects: onOperands(unless('n V')),
  },
  {
    names: 'mkfs.btrfs!',
    tier: 'disk',
    options: {
      text: `
        A alloc-start b byte-count csum checksum d data l leafsize L label m metadata n nodesize O features
        R runtime-features s sectorsize U uuid
      `,
      read: 'r rootdir',
    },
    effects: onOperands(always),
  },
  {
    names: 'mkfs.xfs!',
    tier: 'disk',
    options: { text: 'b d i l L m n r s', read: 'c p' },
    effects: onOperands(unless('N')),
  },
  {
    names: 'mkfs.f2fs make_f2fs make_f2fs_casefold',
    tier: 'disk',
    options: { text: 'a c C d e E g l o O R s t T U w z' },
    effects: onOperands(always),
  },
  {
    names: 'mkfs.fat! mkfs.vfat! mkfs.msdos mkdosfs',
    tier: 'disk',
    options: { text: 'b codepage D f F g h i M n offset r R s S variant', read: 'l m' },
    effects: onOperands(always),
  },
  {
    names: 'mkfs.exfat mkexfatfs',
    tier: 'disk',
    options: { text: 'b boundary-align c cluster-size i L volume-label n p s sector-size U volume-guid' },
    effects: onOperands(always),
  },
  {
    names: 'mkfs.ntfs mkntfs',
    tier: 'disk',
    options: {
      text: `
        c cluster-size H heads L label p partition-start s sector-size S sectors-per-track z mft-zone-multiplier
      `,
    },
    effects: onOperands(unless('n no-action')),
  },
  {
    names: 'mkfs.minix',
    tier: 'disk',
    options: { text: 'i inodes n namelength lock?', read: 'l badblocks' },
    effects: onOperands(always),
  },
  {
    names: 'mkfs.bfs mkfs.cramfs',
    tier: 'disk',
    options: { text: 'b blocksize e edition F fname i N inodes n name V vname lock?' },
    effects: onOperands(always),
  },
  { names: 'mkfs.nilfs2', tier: 'disk', options: { text: 'B b L m O P' }, effects: onOperands(unless('n')) },
  // without a row for its options, every word of theirs may be the device, and no option counts as a dry run
  { names: 'mkfs* mkreiserfs jfs_mkfs mkudffs make_ext4fs', tier: 'disk', effects: onOperands(always) },
  {
    names: 'mkswap!',
    tier: 'disk',
    options: { text: 'e endianness L label o offset p pagesize s size U uuid v swapversion lock?' },
    effects: onOperands(always),
  },
  { names: 'newfs*', options: { text: 'a b c d e E f g h i k L m o O p r s S T' }, effects: onDevice(unless('N')) },
  {
    names: 'newfs_msdos newfs_exfat',
    options: { text: 'a b B c e f F h i I k L m n o O r s S u v' },
    effects: onDevice(unless('N')),
  },
  { names: 'newfs_hfs newfs_apfs newfs_udf', options: { text: 'b c G h i M n s U v' }, effects: onDevice(unless('N')) },
  {
    names: 'tune2fs',
    options: { text: 'c C e E g i I J L m M o O Q r T u U z' },
    effects: onOperands(withOther('l')),
  },
  { names: 'resize2fs', options: { text: 'd S z' }, effects: onOperands(unless('P')) },
  { names: 'resize.f2fs', options: { text: 'd o t' }, effects: onOperands(always) },
  {
    names: 'ntfsresize',
    options: { text: 's size' },
    effects: onOperands(unless('i info m info-mb-only n no-action')),
  },
  {
    names: 'debugfs',
    options: { text: 'b s', maybe: 'R', read: 'd', script: 'f', write: 'z' },
    codes: (call) => piped(valuesOfOption(call, 'R')),
    effects: onOperands(withOption('w')),
  },
  {
    names: 'e2image',
    operands: 'read',
    last: 'write',
    options: { text: 'b B o O' },
    effects: onOperands(withOption('I')),
  },
  { names: 'e2undo', options: { text: 'o', write: 'z' }, effects: onOperands(unless('n')) },
  { names: 'btrfs', effects: btrfsEffects },
  { names: 'bcachefs', effects: onDevice(withOtherVerb('version show-super fs list list_journal dump help')) },
  { names: 'make-bcache', effects: onOperands(always) },
  {
    names: 'zpool',
    options: { text: 'm o O R t' },
    effects: onDevice(unless('n', withOtherVerb('list status iostat get history events version help wait'))),
  },
  {
    names: 'zfs',
    readOnlyVerbs: 'list get diff holds version help send userspace groupspace projectspace',
    options: { text: 'd F? o O s S t V x' },
    effects: onDevice(destroys),
  },
  // checks that repair
  { names: 'fsck', options: { text: 't C? r?' }, effects: onAny(unless('N', checks)) },
  {
    names: 'fsck.ext2 fsck.ext3 fsck.ext4 e2fsck',
    options: { text: 'b B C E I j M N P z', read: 'l L' },
    effects: onOperands(checks),
  },
  { names: 'fsck.fat fsck.vfat fsck.msdos dosfsck', options: { text: 'c d F u' }, effects: onOperands(checks) },
  { names: 'fsck.f2fs', options: { text: 'd g O' }, effects: onOperands(unless('dry-run')) },
  {
    names: 'fsck.minix',
    options: { text: 'lock?' },
    effects: onOperands(withOther('l list v verbose s super m uncleared f force lock')),
  },
  {
    names: 'reiserfsck fsck.reiserfs',
    options: { text: 'B j journal l logfile' },
    effects: onOperands(withOther('check B j journal l logfile n nolog q quiet y yes')),
  },
  { names: 'fsck* fsck_msdos fsck_exfat jfs_fsck', effects: onOperands(checks) },
  { names: 'xfs_repair', options: { text: 'c l m o r t' }, effects: onOperands(unless('n')) },
  { names: 'ntfsfix', effects: onOperands(unless('n no-action')) },
  // lists
  {
    names: 'lsblk blkid findmnt',
    operands: 'name',
    plain: true,
    options: {
      text: `
        a? c F H I E e include exclude L label lines M mountpoint N task n match-tag o output O options p
        poll? s match-token S source sort T target t types U uuid u usages w timeout x y shell
      `,
      read: 'tab-file sysroot cache-file',
    },
    stream: 'devices',
  },
  {
    names: 'smartctl sg_inq sg_readcap',
    operands: 'name',
    plain: true,
    options: { text: 'd device l log t test T n' },
    stream: 'devices',
  },
  {
    names: 'lvs pvs vgs lvscan pvscan vgscan lvdisplay pvdisplay vgdisplay',
    options: { text: 'o options O sort S select units separator config devices reportformat' },
    stream: 'devices',
  },
  { names: 'lsscsi lshw hwinfo inxi', stream: 'devices' },
])
