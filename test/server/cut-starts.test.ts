import t from 'tap'
import { eachStart } from './cuts/each-start.ts'

// test/slow/cut-starts.test.ts starts with every file cut at every tenth
await eachStart(t, ['config.yaml', 'owner.sha256', 'tokens.json', 'history/00000001.jsonl'], [5])
