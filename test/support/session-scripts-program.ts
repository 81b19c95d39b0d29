/** Runs the scripts of session-scripts.ts with a launcher: `node PROGRAM LAUNCHER '{"shells", "folder", …}'` prints the results as JSON. */
import { createLauncherSpawner } from '../../src/server/spawn/launcher.ts'
import { runScripts } from './session-scripts.ts'

async function main([launcher, where]: string[]): Promise<void> {
  const spawner = await createLauncherSpawner({ path: launcher!, sandboxes: false })
  const results = await runScripts(spawner, JSON.parse(where!))
  await spawner.close()
  process.stdout.write(JSON.stringify(results))
}

void main(process.argv.slice(2))
