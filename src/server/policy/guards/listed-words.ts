/** Decides whether an unknown word is one of the names that another command of the script lists: $(ls /dev/sd*), while read x. */
import type { PathWord } from '../programs/index.ts'
import type { Script, SimpleCommand } from '../script/script.ts'
import type { GuardInput } from './rule.ts'

/** Returns whether a command lists names of a kind, such as those of disks. */
type Lists = (command: SimpleCommand, scene: GuardInput) => boolean

/** Returns whether a command gets such names through pipes. */
export function isFed({ pipedFrom }: SimpleCommand, scene: GuardInput, lists: Lists): boolean {
  for (let at = pipedFrom, hops = 0; at && hops < 16; at = at.pipedFrom, hops += 1) {
    if (lists(at, scene)) return true
  }
  return false
}

// $NAME, of=$NAME, --output="$NAME"
const soleVariable = /^(?:-{0,2}[\w-]+=|-\w)?"?\$\{?(\w+)\}?"?$/
// the placeholder of xargs -I
const placeholder = /^[^\w/.~-]+$/

/** What a script lists: the commands that list such names, and for each variable whether it can have its value from one of them. */
interface Listed {
  sources: readonly string[]
  names: Map<string, boolean>
}

// cached, because every write to an unknown path needs it
const cache = new WeakMap<Script, Map<Lists, Listed>>()
const MAX_LISTS = 32

function listedIn(scene: GuardInput, lists: Lists): Listed {
  const { script } = scene
  const known = cache.get(script) ?? new Map<Lists, Listed>()
  cache.set(script, known)
  const found = known.get(lists)
  if (found) return found
  const sources = script.commands.filter((one) => lists(one, scene)).map(({ source }) => source)
  const made = { sources: sources.slice(0, MAX_LISTS), names: new Map<string, boolean>() }
  known.set(lists, made)
  return made
}

/** Returns whether an unknown path is one of the listed names: a command substitution, or a variable that has its value from there. */
export function isListed(
  { values, prefix, source }: PathWord,
  command: SimpleCommand,
  scene: GuardInput,
  lists: Lists,
): boolean {
  if (values !== null) return command.fed && values.some((one) => placeholder.test(one)) && isFed(command, scene, lists)
  const { sources, names } = listedIn(scene, lists)
  if (prefix !== '' || sources.length === 0) return false
  if (printsOneOf(sources, source)) return true
  const name = soleVariable.exec(source)?.[1]
  if (name === undefined) return false
  const answer = names.get(name) ?? isFromList(name, sources, scene, lists)
  names.set(name, answer)
  return answer
}

const printsOneOf = (sources: readonly string[], text: string) =>
  /\$\(|`/.test(text) && sources.some((one) => text.includes(one))

function isFromList(name: string, sources: readonly string[], scene: GuardInput, lists: Lists): boolean {
  const { commands, source } = scene.script
  const items = new RegExp(`\\bfor\\s+${name}\\s+in\\s([^;\\n]*)`).exec(source)?.[1] ?? ''
  return (
    printsOneOf(sources, items) ||
    commands.some(
      (one) =>
        one.assignments.some((given) => given.name === name && printsOneOf(sources, given.word.source)) ||
        (one.args.includes(name) && isFed(one, scene, lists)), // read NAME
    )
  )
}
