/** Programs that write raw blocks, or format disks. */
import { cutWord } from '../shell/script.ts'
import { certain } from './deletions.ts'
import type { Effect } from './effect.ts'
import { type Call, has, type Program } from './program.ts'

const looks =
  /^(?:-l|--list|-s|-V|--version|-h|--help|print|info|list|smart-log|id-ctrl|status|luksDump|isLuks|-I|-i|-n|--no-act|-t|-T|--detail|-D)$/

// an image file is a fine thing to format
const formats = (call: Call): Effect[] => {
  const makes = call.command.name.startsWith('mk')
  const informs = makes ? /^(?:-V|--version|-h|--help|-n)$/ : looks
  if (call.operands.length === 0 || call.words.some(({ literal }) => informs.test(literal ?? ''))) return []
  return makes
    ? call.operands.map((word) => ({ does: 'formats', path: certain(word) }))
    : [{ does: 'formats', path: null }]
}

export const disks: readonly Program[] = [
  {
    names: 'dd',
    operands: 'maybe',
    others: null,
    effects: (call) => [
      ...call.words
        .filter(({ prefix }) => prefix.startsWith('of='))
        .map((word): Effect => ({ does: 'writes', path: certain(cutWord(word, 3)) })),
      ...(call.words.some(({ prefix }) => /^[io]f=/.test(prefix)) ? [{ does: 'images' } as const] : []),
      ...(has(call, 'help version') ? [] : [{ does: 'administers' } as const]),
    ],
  },
  { names: 'scrub fallocate', operands: 'write', options: { text: 'l o p length offset' } },
  { names: 'mkfs* mke2fs mkswap mkdosfs make_ext4fs newfs* format', operands: 'maybe', effects: formats },
  {
    names:
      'wipefs blkdiscard badblocks fdisk sfdisk cfdisk gdisk sgdisk parted cryptsetup hdparm nvme flash_image flash_erase nandwrite lvremove vgremove pvremove mdadm diskutil zpool resize2fs tune2fs dmsetup',
    operands: 'maybe',
    effects: formats,
  },
  { names: 'diskpart', effects: () => [{ does: 'formats', path: null }] },
]
