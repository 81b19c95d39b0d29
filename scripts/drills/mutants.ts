import { approvalMutants } from './mutants-approvals.ts'
import { execMutants } from './mutants-exec.ts'
import { launcherMutants } from './mutants-launcher.ts'
import { routesMutants } from './mutants-routes.ts'
import { spawnMutants } from './mutants-spawn.ts'
import { storeMutants } from './mutants-store.ts'

/** All rows of the drill, in the order of their numbers. */
export const mutants = [
  ...spawnMutants,
  ...launcherMutants,
  ...storeMutants,
  ...execMutants,
  ...routesMutants,
  ...approvalMutants,
]
