export function newerSource(checkout: string): string | undefined
