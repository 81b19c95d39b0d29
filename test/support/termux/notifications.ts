import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { appUid, bootEnv, type Phone, prefix } from './phone.ts'
import { until } from './service.ts'

const calls = `${prefix}/tmp/notifications`

/** Gives the phone the programs of Termux:API for notifications, which record their arguments. */
export async function installTermuxApi(phone: Phone): Promise<void> {
  const script = `#!${prefix}/bin/sh\nnote=$(mktemp ${calls}/.XXXXXX)\nprintf '%s\\0' "$@" >"$note"\nmv "$note" "${calls}/$$"\n`
  await phone.run(`mkdir -p ${calls}`)
  for (const name of ['termux-notification', 'termux-notification-remove']) {
    const path = phone.path(`${prefix}/bin/${name}`)
    writeFileSync(path, script)
    chmodSync(path, 0o755)
    chownSync(path, appUid, appUid)
  }
}

const notifications = (phone: Phone): string[][] =>
  readdirSync(phone.path(calls))
    .filter((name) => !name.startsWith('.'))
    .map((name) => readFileSync(phone.path(`${calls}/${name}`), 'utf8').split('\0'))

/** Waits until a notification contains the text, then presses its button as Android does: with the environment of the app. */
export async function pressButton(phone: Phone, text: string, label: string): Promise<void> {
  const find = () => notifications(phone).find((words) => words.some((word) => word.includes(text)))
  await until(`a notification shows ${text}`, () => find() !== undefined)
  const words = find()!
  const [, button] = /^--(button\d)$/.exec(words[words.indexOf(label) - 1] ?? '') ?? []
  if (button === undefined) throw new Error(`the notification has no button ${label}: ${words.join(' ')}`)
  const pressed = await phone.run(words[words.indexOf(`--${button}-action`) + 1]!, bootEnv)
  if (pressed.code !== 0) throw new Error(`the button ${label} ended with ${pressed.code}: ${pressed.stderr}`)
}
