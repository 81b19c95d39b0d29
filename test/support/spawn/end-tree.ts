/** Runs a script (first argument), kills its tree at its first output (second argument: grace in milliseconds), and prints the result as JSON. */
import { noLimits } from '../../../src/shared/schema/index.ts'
import { createChildProcessSpawner } from '../../../src/server/spawn/child-process.ts'

const mark = `endtree.${process.pid}.1`
const spawner = createChildProcessSpawner()
let received = () => {}
const firstOutput = new Promise<void>((resolve) => {
  received = resolve
})
const child = await spawner.spawn(
  {
    script: process.argv[2]!,
    shell: '/bin/sh',
    cwd: '/',
    env: { PATH: process.env.PATH!, EXEC_MARK: mark },
    mark,
    stdin: 'null',
    terminal: null,
    sandbox: { name: 'none', network: true, writable: [], hidden: [] },
    limits: noLimits,
  },
  { onOutput: () => received() },
)
await firstOutput
const left = await child.leftBehind()
const end = await child.end(Number(process.argv[3]))
const exit = await Promise.race([child.exited, null])
child.detach()
await spawner.close()
console.log(JSON.stringify({ left: left.length, ...end, exit }))
