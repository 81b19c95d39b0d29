import t from 'tap'
import { corpusOf, readers } from '../scripts/drills/fuzz-readers.ts'

t.test('every input that a fuzzer found to reach new code keeps the promises of its reader', async (t) => {
  for (const [name, read] of Object.entries(readers)) {
    const inputs = corpusOf(name)
    t.ok(inputs.length > 4, `${name}: ${inputs.length} inputs`)
    for (const input of inputs) {
      try {
        await read(input)
      } catch (error) {
        t.fail(`${name}: ${input.toString('base64')}`, { error: error as Error })
      }
    }
  }
})
