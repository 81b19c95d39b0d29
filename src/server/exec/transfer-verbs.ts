import type { Caller } from './command.ts'
import type { Watched } from './run.ts'
import type { Transfer } from './transfer.ts'

/** Begins file transfers. */
export interface Transfers {
  /** Resolves a path; throws VALIDATION_ERROR, NOT_FOUND and others. `follows`: also follow the last component if it is a link. */
  resolvePath(path: string, follows: boolean): Promise<string>
  /** Begins a file transfer, in the same turns and with the same steps as a command. */
  transfer(transfer: Transfer, caller: Caller): Promise<Watched>
}
