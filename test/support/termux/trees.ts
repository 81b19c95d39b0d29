import type { Test } from 'tap'
import type { Phone } from './phone.ts'
import { exec, healthy, serverPid, sleeping, until } from './service.ts'

/** A command that tries every usual escape is killed with its whole tree at its timeout, and the server keeps running. */
export async function endsTreeAtTimeout(t: Test, phone: Phone, port = 8029) {
  const before = serverPid(phone)
  const escapes = '(sleep 3131 &); sleep 3132 & setsid sleep 3133 & sh -c \'setsid sh -c "sleep 3134 &"\''
  const command = `echo said; ${escapes}; trap "" TERM; sleep 3135`
  let record: { stdout: string } = { stdout: '' }
  // on a busy machine the first timeouts may pass before any output
  for (let seconds = 1; record.stdout === '' && seconds < 100; seconds *= 4) {
    record = await exec(phone, { command, timeout_seconds: seconds }, port)
  }
  t.match(record, { status: 'timed_out', exit_code: -1, stdout: 'said\n', left_behind: { survivors: [] } })
  t.strictSame(sleeping(phone), [])
  t.equal(serverPid(phone), before, 'and the server keeps running')
}

/** After the server is killed during a command, runit starts another server, and no process of the command is left. */
export async function restartsWithoutOrphans(t: Test, phone: Phone, port = 8029) {
  const before = serverPid(phone)
  const command = 'sleep 3001 & setsid sleep 3002 & sh -c \'setsid sh -c "sleep 3003 &"\'; sleep 3004'
  const answered = exec(phone, { command, timeout_seconds: 120 }, port).then(
    () => 'an answer',
    () => 'cut off',
  )
  await until('all four sleep', () => sleeping(phone).length === 4)
  await phone.run(`kill -9 ${before}`)
  t.equal(await answered, 'cut off')
  await until('another server runs', () => ![before, Number.NaN].includes(serverPid(phone)))
  await healthy(phone, port)
  await until('no orphan is left', () => sleeping(phone).length === 0)
  t.match(await exec(phone, { command: 'echo again' }, port), { stdout: 'again\n' })
}
