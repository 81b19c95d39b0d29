import { homeFolder } from '../../server/host/index.ts'
import type { Config } from '../../server/settings.ts'
import { importFile, toYaml } from './import-file.ts'
import { writeSettings } from './write-settings.ts'

/**
 * `shellphone config import FILE [--from SYSTEM] [--write]`: prints the lines of config.yaml that another system's file becomes, and adds
 * them to config.yaml only with --write. Names the keys without a setting on stderr. Rejects with UsageError.
 */
export async function runImport(
  { home, rows }: Config,
  file: string,
  options: ReadonlyMap<string, string>,
): Promise<void> {
  const imported = await importFile(file, { system: options.get('from'), rows, home: homeFolder(process.env) })
  const { system, noEquivalent, unknown } = imported
  console.log(
    options.has('json') ? JSON.stringify(imported) : `# ${system}, from ${file}\n${await toYaml(imported)}`.trimEnd(),
  )
  for (const { key, reason } of noEquivalent) console.error(`${key}: no setting here: ${reason}`)
  for (const key of unknown) console.error(`${key}: unknown key of ${system}, ignored`)
  if (options.has('write')) console.error(`written to ${await writeSettings(home, imported.settings)}`)
}
