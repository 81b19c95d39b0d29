interface DuplicateAlarm {
  hear(name: string, boot: string): void
  forget(name: string): void
}

/** Starts of one phone that are remembered. */
const MAX_BOOTS = 16

/**
 * A device that starts again has a new boot id, and the one before is never heard again. Where it is, two devices use one name: `ring` is
 * called, once until the name is forgotten.
 */
export function createDuplicateAlarm(ring: (name: string) => void): DuplicateAlarm {
  const heard = new Map<string, { boots: string[]; rang: boolean }>()
  return {
    hear(name, boot) {
      const known = heard.get(name) ?? { boots: [], rang: false }
      heard.set(name, known)
      if (known.boots[0] === boot || known.rang) return
      if (known.boots.includes(boot)) {
        known.rang = true
        ring(name)
      }
      known.boots = [boot, ...known.boots].slice(0, MAX_BOOTS)
    },
    forget: (name) => void heard.delete(name),
  }
}
