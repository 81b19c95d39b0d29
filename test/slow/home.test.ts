import t from 'tap'
import { startAtOnce } from '../support/start-at-once.ts'

t.test('only one of three simultaneous starts runs, ten times', (t) => startAtOnce(t, 10))
