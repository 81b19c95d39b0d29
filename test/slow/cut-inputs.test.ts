/** test/server/cut-inputs.test.ts with every cut. */
import t from 'tap'
import { eachCut } from '../server/cuts/each-cut.ts'

await eachCut(t, 1)
