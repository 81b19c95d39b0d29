import type { Settings } from '../config/index.ts'
import type { PolicySettings } from '../policy/index.ts'
import { type ExecRequest, invalid, type Sandbox, type SandboxName, ShellphoneError } from '../schema/index.ts'

/** Which sandboxes can be had here, and why not the others. */
export interface Sandboxes {
  available: SandboxName[]
  reason: string | null
}

/** What decides about a command's sandbox beside its request. */
export interface SandboxParts {
  settings: Pick<Settings, 'sandbox' | 'sandbox.network' | 'sandbox_floor' | 'working_directory'>
  sandboxes: Sandboxes
  /** `workspace_dir` stays writable in workspace-write; null: the command's directory, or with a floor the default one */
  policy: Pick<PolicySettings, 'workspace_dir'>
  /** folders that no sandboxed command may even read */
  hidden: string[]
}

/** From the loosest to the strictest. */
const order: SandboxName[] = ['none', 'workspace-write', 'read-only']

/** The sandbox of a command that runs in `cwd`. One that cannot be had is an error before anybody is asked, never a silent "none". */
export function sandboxFor(
  { sandbox, network }: Pick<ExecRequest, 'sandbox' | 'network'>,
  cwd: string,
  { settings, sandboxes, policy, hidden }: SandboxParts,
  notes: string[],
): Sandbox {
  const name = sandbox ?? settings.sandbox
  if (settings.sandbox_floor) checkFloor(name, network, settings)
  if (name !== 'none' && !sandboxes.available.includes(name)) {
    throw new ShellphoneError('SANDBOX_UNAVAILABLE', `sandbox: ${name} cannot be had here: ${sandboxes.reason}`, {
      field: 'sandbox',
    })
  }
  if (name === 'none' && network === false) {
    throw invalid('network', 'network: false needs a sandbox (read-only or workspace-write)')
  }
  const usual = settings.sandbox_floor ? settings.working_directory : cwd
  const writable = name === 'workspace-write' ? [policy.workspace_dir ?? usual] : []
  for (const folder of writable) notes.push(...hidden.filter((one) => isBeneath(one, folder)).map(toNote(folder)))
  return { name, network: network ?? settings['sandbox.network'], writable, hidden: name === 'none' ? [] : hidden }
}

/** What the owner has set is the least that every caller gets. */
function checkFloor(name: SandboxName, network: boolean | undefined, settings: SandboxParts['settings']): void {
  const least = settings.sandbox
  if (order.indexOf(name) < order.indexOf(least)) {
    const allowed = order.slice(order.indexOf(least)).join(' or ')
    throw invalid(
      'sandbox',
      `sandbox: expected ${allowed}, got ${name}: the setting sandbox_floor allows nothing looser`,
    )
  }
  if (network === true && !settings['sandbox.network']) {
    throw invalid('network', 'network: expected false, got true: the setting sandbox_floor allows nothing looser')
  }
}

const isBeneath = (path: string, folder: string) => path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** Landlock can only allow, for all that lies beneath: beside what is hidden, it cannot allow new names. */
const toNote = (folder: string) => (hidden: string) =>
  `${folder} holds ${hidden}, which the sandbox hides: in the folders above that nothing can be made, moved or removed, below the others all is as usual`
