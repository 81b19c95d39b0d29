import { effect, signal, type Signal } from '@preact/signals'

/** Something that this browser remembers: `read` says what of a remembered text holds. */
function remembered<Value extends string>(name: string, allowed: readonly [Value, ...Value[]]): Signal<Value> {
  const key = `shellphone.${name}`
  const kept = allowed.find((value) => value === localStorage.getItem(key))
  const value = signal<Value>(kept ?? allowed[0])
  effect(() => localStorage.setItem(key, value.value))
  return value
}

/** What a person prefers here: each the first of its list until they say otherwise. */
export const prefers = {
  theme: remembered('theme', ['system', 'dark', 'light']),
  keys: remembered('keys', ['on', 'off']),
  sound: remembered('sound', ['off', 'on']),
  notifications: remembered('notifications', ['off', 'on']),
  wrap: remembered('wrap', ['on', 'off']),
}

/** The colours follow the choice, at once. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = prefers.theme.value
  })
}
