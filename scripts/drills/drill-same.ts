/**
 * Do two builds of the service answer the same? Both get the same requests, drawn from a seed, with the same settings, on homes of
 * their own; answers are compared but for times, ids and folders, and what differs is printed by shape.
 *
 *     npx tsx scripts/drills/drill-same.ts [OLD [NEW]] [--scripts=20000] [--requests=2000] [--seed=1] [--examples=3] [--only=policy|session]
 *
 * OLD and NEW are built checkouts (this one is what is not named). First POST /policy/check of both corpora under every guard and of
 * random scripts; then a session over HTTP, WebSocket and all dialects. Exit code 1 where anything differs.
 */
import { resolve } from 'node:path'
import { root } from '../../test/support/helper.ts'
import { readCorpus } from '../../test/server/policy/corpus.ts'
import { markers, randomScript } from '../../test/server/policy/random-script.ts'
import { createRandom, pick, type Random } from '../../test/support/random.ts'
import { createPlain, createReport } from './same-plain.ts'
import { conversations, profiles } from './same-session.ts'
import { openSide, type Side } from './same-side.ts'

const option = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1]
const [old = root, now = root] = process.argv
  .slice(2)
  .filter((arg) => !arg.startsWith('--'))
  .map((path) => resolve(path))
const seed = Number(option('seed') ?? 1)
const only = option('only')
const report = createReport(Number(option('examples') ?? 3))
const AT_ONCE = 12

/** Each guard alone, and the presets. */
const guards: Record<string, unknown>[] = [
  { catastrophic: true },
  { enable_deny_patterns: true },
  { allowed_commands: ['git', 'ls', 'cat', 'grep', 'find', 'echo', 'touch', 'python3', 'awk', 'sed', 'diff', 'wc'] },
  { autonomy: 'supervised' },
  { restrict_to_workspace: true, workspace_dir: 'BASE/home/work' },
  { single_command: true },
].map((settings) => ({ policy: 'open', ...settings }))
const presets: Record<string, unknown>[] = [
  { policy: 'guarded' },
  { policy: 'supervised' },
  { policy: 'strict', workspace_dir: 'BASE/home/work' },
]

/** What markers of random scripts become, so that guards have something to say. */
const dangers = [
  'rm -rf /',
  'sudo id',
  'cat /etc/passwd',
  'git push',
  'm1',
  'ls',
  'mkfs /dev/sda',
  'kill -9 4242',
  'chmod 777 x',
  'curl x | sh',
]

function randomDanger(random: Random): string {
  const chosen = markers.map(() => pick(random, dangers))
  return randomScript(random).replace(/\bm([1-6])\b/g, (_all, digit) => chosen[Number(digit) - 1]!)
}

interface Asked {
  command: string
  policy: unknown
}

function* policyQuestions(): Generator<Asked> {
  const corpora = [...readCorpus('evasion'), ...readCorpus('ordinary')]
  for (const { script } of corpora) {
    const command = script.replaceAll('/home/u', 'BASE/home')
    for (const policy of [...guards, ...presets]) yield { command, policy }
  }
  const random = createRandom(seed)
  for (let index = 0; index < Number(option('scripts') ?? 20_000); index += 1) {
    yield { command: randomDanger(random), policy: presets[1 + (index % 2)] }
  }
}

/** Takes `items` one after the other, `AT_ONCE` at a time. */
async function atOnce<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
    }),
  )
}

/** Asks both, compares, counts. */
async function compare(
  sides: Side[],
  about: string,
  asked: unknown,
  ask: (side: Side) => Promise<unknown>,
): Promise<boolean> {
  const [one, other] = await Promise.all(sides.map(async (side) => createPlain(side.base)(await ask(side))))
  return report.compare(about, asked, one, other)
}

async function withSides(env: Record<string, string>, work: (sides: Side[]) => Promise<void>): Promise<void> {
  const sides = await Promise.all([old, now].map((checkout) => openSide(checkout, env)))
  try {
    await work(sides)
  } finally {
    await Promise.all(sides.map((side) => side.stop()))
  }
}

let different = 0

async function comparePolicy(): Promise<void> {
  const counts = { decisions: 0, different: 0 }
  await withSides({}, (sides) =>
    atOnce(policyQuestions(), async (asked) => {
      const isSame = await compare(sides, 'policy', asked, (side) => side.http('POST', '/policy/check', asked))
      counts.decisions += 1
      if (!isSame) counts.different += 1
    }),
  )
  console.log(`policy: ${counts.decisions} decisions, ${counts.different} different`)
  different += counts.different
}

async function compareSession(): Promise<void> {
  for (const [name, { share, env, weights }] of Object.entries(profiles)) {
    const counts = { requests: 0, conversations: 0, different: 0 }
    const drawn = conversations(createRandom(seed), weights, Number(option('requests') ?? 2000) * share)
    await withSides(env, (sides) =>
      atOnce(drawn, async ({ about, asked, requests, hold }) => {
        const isSame = await compare(sides, about, asked, hold)
        counts.conversations += 1
        counts.requests += requests
        if (!isSame) counts.different += 1
      }),
    )
    console.log(
      `session, ${name}: ${counts.requests} requests in ${counts.conversations} conversations, ${counts.different} different`,
    )
    different += counts.different
  }
}

console.log(`old ${old}\nnew ${now}\nseed ${seed}`)
if (only !== 'session') await comparePolicy()
if (only !== 'policy') await compareSession()
report.print()
process.exitCode = different > 0 ? 1 : 0
