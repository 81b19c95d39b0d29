import t from 'tap'
import { eachFileCut } from './cuts/each-file.ts'

// test/slow/cut-files.test.ts cuts at every tenth byte
await eachFileCut(t, 5)
