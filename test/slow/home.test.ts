import t from 'tap'
import { startAtOnce } from '../support/start-at-once.ts'

t.test('three starts at once are one service, ten times', (t) => startAtOnce(t, 10))
