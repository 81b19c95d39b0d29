export interface Contract {
  openapi: object
  plane: object
  asyncapi: object
}
export function readContract(root: string): Contract
export function prepareTraffic(contract: Contract, folder: string): void
export function checkTraffic(contract: Contract, folder: string): { summary: string; violations: string[] } | null
