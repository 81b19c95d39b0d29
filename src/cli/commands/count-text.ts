/** A count with its noun, such as `1 phone` or `2 phones`. */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
