/** test/server/cut-files.test.ts with every cut. */
import t from 'tap'
import { eachFileCut } from '../server/cuts/each-file.ts'

await eachFileCut(t, 1)
