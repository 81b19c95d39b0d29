/** The subcommands that list what paths name, by what answers and by the beginning of a path. */
const listings = {
  service: [
    ['/runs/', 'shellphone history'],
    ['/approvals/rules/', 'shellphone approvals rules'],
    ['/approvals/', 'shellphone approvals list'],
    ['/sessions/', 'shellphone sessions'],
    ['/tokens/', 'shellphone token list'],
  ],
  plane: [
    ['/phones/', 'shellphone fleet approvals'],
    ['/conflicts/', 'shellphone fleet phones'],
  ],
} as const

/** The subcommand that lists what a path names; undefined: none does. */
export const listingOf = (role: keyof typeof listings, path: string): string | undefined =>
  listings[role].find(([start]) => path.startsWith(start))?.[1]
