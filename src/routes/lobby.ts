/** Whoever has not shown the token yet. */
export interface Guest {
  address: string
  /** shown out, at once */
  cut(): void
}

/** Where guests wait; whoever has waited longest makes room. */
export interface Lobby {
  enter(guest: Guest): void
  leave(guest: Guest): void
}

/** At most so many guests of one address, and in all. The newest is let in, so that nobody who idles here keeps the owner out. */
export function createLobby(limits: { perAddress: number; inAll: number }): Lobby {
  const guests = new Set<Guest>()
  const dismiss = (guest: Guest | undefined) => {
    if (guest && guests.delete(guest)) guest.cut()
  }
  const of = (address: string) => [...guests].filter((guest) => guest.address === address)
  return {
    enter(guest) {
      guests.add(guest)
      if (guests.size > limits.perAddress) {
        const same = of(guest.address)
        if (same.length > limits.perAddress) dismiss(same[0])
      }
      if (guests.size > limits.inAll) dismiss(guests.values().next().value)
    },
    leave: (guest) => void guests.delete(guest),
  }
}
