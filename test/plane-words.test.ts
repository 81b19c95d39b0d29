import t from 'tap'
import { createLatest } from '../src/plane/latest.ts'

t.test('what is read back does not replace what was heard while it was read', async (t) => {
  const seen = new Map<string, string>()
  const latest = createLatest<string>((key, value) => void seen.set(key, value))
  const first = latest.reading()
  first('token', 'valid')
  t.equal(seen.get('token'), 'valid', 'nothing else is known')
  const afterReconnect = latest.reading()
  latest.heard('token', 'revoked')
  afterReconnect('token', 'valid')
  afterReconnect('phone', 'enrolled')
  t.same(
    [...seen],
    [
      ['token', 'revoked'],
      ['phone', 'enrolled'],
    ],
  )
  latest.reading()('token', 'valid again')
  t.equal(seen.get('token'), 'valid again', 'a read that began later counts')
})
