interface DuplicateAlarm {
  check(name: string, boot: string): void
  forget(name: string): void
}

/** How many boot ids of one phone are remembered. */
const MAX_BOOTS = 16

/**
 * A device has a new boot id after each start and never uses an old one again. If an old one appears, two devices use the same name:
 * `onDuplicate` is called once, until the name is forgotten.
 */
export function createDuplicateAlarm(onDuplicate: (name: string) => void): DuplicateAlarm {
  const phones = new Map<string, { boots: string[]; isReported: boolean }>()
  return {
    check(name, boot) {
      const known = phones.get(name) ?? { boots: [], isReported: false }
      phones.set(name, known)
      if (known.boots[0] === boot || known.isReported) return
      if (known.boots.includes(boot)) {
        known.isReported = true
        onDuplicate(name)
      }
      known.boots = [boot, ...known.boots].slice(0, MAX_BOOTS)
    },
    forget: (name) => void phones.delete(name),
  }
}
