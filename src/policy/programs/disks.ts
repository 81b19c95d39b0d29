/** Programs that write raw blocks, or format disks. */
import { cutWord } from '../shell/script.ts'
import { administers, type Effect, when } from './effect.ts'
import { pathOf } from './paths.ts'
import { type Call, has } from './program.ts'
import { readTable } from './table.ts'

const looks =
  /^(?:-l|--list|-s|-V|--version|-h|--help|print|info|list|smart-log|id-ctrl|status|luksDump|isLuks|-I|-i|-n|--no-act|-t|-T|--detail|-D)$/
const tries = /^(?:-V|--version|-h|--help|-n)$/

const does = ({ operands, words }: Call, idle: RegExp) =>
  operands.length > 0 && !words.some(({ literal }) => idle.test(literal ?? ''))
// an image file is a fine thing to format
const makes = (call: Call): Effect[] =>
  does(call, tries) ? call.operands.map((word) => ({ does: 'formats', path: pathOf(word) })) : []

const startingLike = ({ words }: Call, pattern: RegExp) => words.filter(({ prefix }) => pattern.test(prefix))
const images = (call: Call): Effect[] => [
  ...startingLike(call, /^of=/).map((word): Effect => ({ does: 'writes', path: pathOf(cutWord(word, 3)) })),
  ...when(startingLike(call, /^[io]f=/).length > 0, { does: 'images' }),
  ...when(!has(call, 'help version'), administers),
]

const device: Effect = { does: 'formats', path: null }

export const disks = readTable(
  `
dd = plain
scrub fallocate (write) = text: l o p length offset
mkfs* mke2fs mkswap mkdosfs make_ext4fs
wipefs blkdiscard badblocks fdisk sfdisk cfdisk gdisk sgdisk parted cryptsetup hdparm nvme flash_image flash_erase nandwrite lvremove vgremove pvremove mdadm diskutil zpool resize2fs tune2fs dmsetup newfs* format
diskpart
`,
  {
    dd: { effects: images },
    'mkfs*': { effects: makes },
    wipefs: { effects: (call) => when(does(call, looks), device) },
    diskpart: { does: [device] },
  },
)
