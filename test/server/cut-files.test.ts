import t from 'tap'
import { eachFileCut } from './cuts/each-file.ts'

// every tenth byte in test/slow/cut-files.test.ts
await eachFileCut(t, 5)
