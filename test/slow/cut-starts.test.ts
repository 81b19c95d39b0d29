/** test/server/cut-starts.test.ts with every file and every tenth. */
import t from 'tap'
import { eachStart } from '../server/cuts/each-start.ts'

await eachStart(t, 'all', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
