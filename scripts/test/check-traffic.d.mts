export function prepareTraffic(root: string, folder: string): void
export function checkTraffic(root: string, folder: string): { summary: string; violations: string[] }
