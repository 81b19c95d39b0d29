import os from 'node:os'
import { join } from 'node:path'
import { createTokens } from './access/index.ts'
import { readOrNull, usualLimits, type DoctorWorld } from './doctor/index.ts'
import { homeFolder, preloadLibrary, termuxPrefix, warnings } from './host/index.ts'
import { isLoopback } from '../shared/schema/index.ts'
import type { Config } from './settings.ts'
import { openTools } from './tools.ts'
import { packageFolder, version } from '../shared/package/index.ts'

/** Returns the boot scripts that setup can write for Termux:Boot on a machine. `tree`: the package's folder. */
export type BootScripts = (machine: { home: string; prefix: string | undefined; tree: string }) => string[]

/** Collects the facts that doctor checks on this machine. `ask` sends a GET to the running service with the owner's token. */
export function openDoctorWorld(
  { settings, policy, home: serviceHome }: Config,
  env: NodeJS.ProcessEnv,
  bootScripts: BootScripts,
  ask: DoctorWorld['ask'],
  {
    settingsError = null,
    areSettingsKnown = true,
  }: Partial<Pick<DoctorWorld, 'settingsError' | 'areSettingsKnown'>> = {},
): DoctorWorld {
  const { platform } = process
  const [home, prefix, { run, addresses }] = [homeFolder(env), termuxPrefix(env), openTools(env)]
  return {
    platform,
    env,
    home,
    prefix,
    serviceHome,
    version,
    nodeVersion: process.version,
    nowMs: Date.now(),
    uptimeSeconds: os.uptime(),
    settings: { ...settings, policy: policy.policy },
    settingsError,
    areSettingsKnown,
    isEncrypted: isEncrypted(settings),
    certificate: isEncrypted(settings) ? readOrNull(certificateFile(settings, serviceHome)) : null,
    tokens: () => namedTokens(serviceHome),
    preload: preloadLibrary(platform, prefix),
    bootScripts: bootScripts({ home, prefix, tree: packageFolder }),
    knownWarnings: warnings(platform, env, settings.host),
    run,
    limits: usualLimits,
    ask,
    addresses,
  }
}

/** Returns whether the service uses TLS with other machines. */
export const isEncrypted = ({ host, tls, tls_certificate: configured }: Config['settings']): boolean =>
  !isLoopback(host) && (tls !== 'off' || configured !== null)

const certificateFile = ({ tls_certificate: configured }: Config['settings'], home: string) =>
  configured ?? join(home, 'tls-certificate.pem')

/** Reads the tokens from their file, because the service may not be running. */
function namedTokens(home: string) {
  const file = { read: () => readOrNull(join(home, 'tokens.json')), write: () => {} }
  return createTokens({ file, owner: { sha256: '', replace: () => {}, forgetText: () => false }, log: () => {} }).list()
}
