import { effect, signal, type Signal } from '@preact/signals'

/** A preference that this browser stores; the first of `allowed` is the default. */
function stored<Value extends string>(name: string, allowed: readonly [Value, ...Value[]]): Signal<Value> {
  const key = `shellphone.${name}`
  const initial = allowed.find((value) => value === localStorage.getItem(key)) ?? allowed[0]
  const value = signal<Value>(initial)
  effect(() => localStorage.setItem(key, value.value))
  return value
}

/** The user's preferences in this browser. */
export const preferences = {
  theme: stored('theme', ['system', 'dark', 'light']),
  keys: stored('keys', ['on', 'off']),
  sound: stored('sound', ['off', 'on']),
  notifications: stored('notifications', ['off', 'on']),
  lineNumbers: stored('line-numbers', ['off', 'on']),
  lineTimes: stored('line-times', ['off', 'on']),
  wrap: stored('wrap', ['on', 'off']),
}

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = preferences.theme.value
  })
}
