interface DuplicateAlarm {
  check(name: string, boot: string): void
  forget(name: string): void
}

/** The number of boot ids to remember for each phone. */
const MAX_BOOTS = 16

/**
 * Detects two devices with the same name. A device has a new boot id after each start and never reuses an old one, so an old boot id that
 * appears again belongs to a second device. Calls `onDuplicate` once for each name until the name is forgotten.
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
