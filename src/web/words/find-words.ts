/** The strings of the find bar, which load with it. */
export const findWords = {
  earlier: 'Previous match',
  later: 'Next match',
  matchCount: (at: string, all: string) => `${at} of ${all}`,
  fromView: ' after this place',
  none: 'not found',
  searching: 'searching…',
} as const
