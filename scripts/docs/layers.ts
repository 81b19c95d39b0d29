/**
 * The layers of src, as arrows. The names to the left of an arrow may import those to its right, and everything that those may import. Names
 * between two arrows may not import each other. All other imports are forbidden; the architecture test checks this.
 *
 *     npx tsx scripts/docs/layers.ts       draws the layers, with the number of imports along each arrow
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** For each folder, the arrows between the folders and files directly in it. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  src: ['main.ts → cli → server, fleet → http → shared', 'cli → sdk → shared', 'web → sdk, shared'],
  'src/cli': ['index.ts → subcommands → serve, local, fleet → commands, parser, setup → print'],
  'src/server': [
    'serve.ts → app.ts, reload.ts, open-doctor.ts, open-access.ts, open-device.ts, open-executor.ts, open-notifications.ts, open-webhooks.ts, serving-process.ts, service-facts.ts, fleet-membership.ts',
    'app.ts, reload.ts, open-doctor.ts, doctor-world.ts, open-access.ts, open-device.ts, open-executor.ts, open-notifications.ts, open-webhooks.ts, service-facts.ts, fleet-membership.ts → settings.ts, tools.ts, live-commands.ts → routes, mcp',
    'open-doctor.ts → doctor-world.ts',
    'serving-process.ts → people-log.ts',
    'routes, mcp → file-tools, wake → exec → dialects, policy, pool, spawn, store, sessions, files, access, notify, doctor, config, host',
  ],
  'src/fleet': ['phone, plane'],
  'src/fleet/plane': [
    'index.ts → open-plane.ts → api → jobs → calls → broker → described.ts, plane-file.ts, plane-types.ts',
    'api → keys → broker',
  ],
  'src/shared': ['transport → schema, async, package'],
  'src/server/policy': [
    'index.ts → decide.ts, rate.ts → guards → shell → programs → script',
    'guards → policy-settings.ts → pattern-steps.ts',
  ],
  'src/server/spawn/launcher': [
    'basics.c, sandbox.c, ending.c, filter.c, frames.c, main.c, orders.c, pipes.c, reaper.c, request.c, session.c, shell.c, terminal.c, tree.c, watch.c → sandbox.h, run.h, shell.h → request.h → ending.h, frames.h, reaper.h, session.h, terminal.h, tree.h → launcher.h → protocol.h',
  ],
}

/** Folders that contain modules. Every other folder is a module, or part of one. Code imports other modules through their index.ts. */
const groups = ['src', 'src/cli', 'src/server', 'src/fleet', 'src/shared']

/** Additional entry points for Node, for modules whose index.ts is also for browsers. */
const nodeEntryPoints = ['src/sdk/client-node.ts']

/** The names that each name in a folder may import. */
export function allowedIn(lines: readonly string[]): Map<string, Set<string>> {
  const next = new Map<string, Set<string>>()
  for (const line of lines) {
    const steps = line.split(' → ').map((step) => step.split(', '))
    steps.forEach((step, at) => {
      for (const name of step) next.set(name, new Set([...(next.get(name) ?? []), ...(steps[at + 1] ?? [])]))
    })
  }
  const reach = (name: string): string[] => [...next.get(name)!].flatMap((other) => [other, ...reach(other)])
  return new Map([...next.keys()].map((name) => [name, new Set(reach(name))]))
}
const allowed = new Map(Object.entries(layers).map(([folder, lines]) => [folder, allowedIn(lines)]))

/** Every source file in TypeScript, JavaScript or C, as `src/…`. */
export const sourceFiles = (): string[] =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.d)\.(tsx?|mjs|c|h)$/.test(file))
    .map((file) => `src/${file}`)

/** The files that a file imports by a relative path (including `import type` and `import()`) or includes; paths relative to the root. */
export function importsOf(file: string, text = readFileSync(join(root, file), 'utf8')): string[] {
  const pattern = /\.[ch]$/.test(file) ? /^#include "([^"]+)"/gm : /(?:from|import\(|import)\s*'(\.[^']+)'/g
  const named = [...text.matchAll(pattern)].map((match) => match[1]!)
  return named.map((path) => resolve('/', dirname(file), path).slice(1))
}

/** The deepest folder that contains both files, with the name in it on the path to each file. Null if one of the files is outside src. */
function parting(from: string, to: string): { folder: string; from: string; to: string } | null {
  const [a, b] = [from.split('/'), to.split('/')]
  const at = a.findIndex((name, index) => name !== b[index])
  return at < 1 || b[0] !== 'src' ? null : { folder: a.slice(0, at).join('/'), from: a[at]!, to: b[at]! }
}

/** The entry point of `path` for code in the folder `within`, which contains `path`. */
function entryPointOf(path: string, within: string, exists: (path: string) => boolean): string {
  const names = path.split('/')
  for (let at = within.split('/').length; at < names.length - 1; at++) {
    const folder = names.slice(0, at + 1).join('/')
    const entryPoint = `${folder}/index.ts`
    if (!groups.includes(folder) || exists(entryPoint)) return entryPoint
  }
  return path
}

/** The reason why `file` may not import `target`, or null if it may. `exists`: whether src contains a file. */
export function forbidden(file: string, target: string, exists: (path: string) => boolean): string | null {
  if (target === 'package.json' || file === target) return null
  const parts = parting(file, target)
  if (parts === null) return `${file} imports ${target}: it is not in src`
  const { folder, from, to } = parts
  const rules = allowed.get(folder)
  if (rules === undefined) return null
  if (!rules.get(from)?.has(to)) return `${file} imports ${target}: in ${folder} no arrow leads from ${from} to ${to}`
  if (!groups.includes(folder) || nodeEntryPoints.includes(target)) return null
  const entryPoint = entryPointOf(target, folder, exists)
  return entryPoint === target ? null : `${file} imports ${target}: import it from ${entryPoint}`
}

/** The files in layered folders that belong to no layer. */
export const filesInNoLayer = (files: readonly string[]): string[] =>
  files.filter((file) =>
    Object.keys(layers).some((folder) => {
      if (!file.startsWith(`${folder}/`)) return false
      return !allowed.get(folder)!.has(file.slice(folder.length + 1).split('/')[0]!)
    }),
  )

function draw(): void {
  const files = sourceFiles()
  for (const [folder, lines] of Object.entries(layers)) {
    const counts = new Map<string, number>()
    for (const file of files) {
      for (const target of importsOf(file)) {
        const parts = parting(file, target)
        if (parts?.folder !== folder) continue
        const arrow = `${parts.from} → ${parts.to}`
        counts.set(arrow, (counts.get(arrow) ?? 0) + 1)
      }
    }
    console.log(`${folder}\n${lines.map((line) => `    ${line}`).join('\n')}`)
    for (const [arrow, count] of [...counts].sort((a, b) => b[1] - a[1])) console.log(`        ${count} × ${arrow}`)
  }
}
if (process.argv[1] === fileURLToPath(import.meta.url)) draw()
