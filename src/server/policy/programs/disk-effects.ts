/**
 * The effects of programs that write to disks. The same letter has different meanings: mkfs.ext4 -n is a dry run, mkfs.btrfs -n sets a
 * size. So each row lists the options of its own program, and a test that returns whether a call writes.
 */
import { unknownWord, valuesOf } from '../script/script.ts'
import { type Effect, when } from './effect.ts'
import { pathOf, pathsOf } from './paths.ts'
import { anyLike, type Call, has, hasOther, isOn, wantsHelp } from './program.ts'

/** Returns whether a call writes to a disk. */
export type Test = (call: Call) => boolean

export const always: Test = () => true
export const withOption =
  (names: string): Test =>
  (call) =>
    has(call, names)
/** With an option that is not on the list, which names all options that change nothing. Safer than withOption: an unknown option counts as writing. */
export const withOther =
  (names: string): Test =>
  (call) =>
    hasOther(call, names)
export const unless =
  (names: string, test = always): Test =>
  (call) =>
    !has(call, names) && test(call)
/** For programs with several devices: without permuting (musl, POSIXLY_CORRECT) they write to the first one before they read a late -n. */
export const unlessFirst =
  (names: string, test = always): Test =>
  (call) =>
    !has({ options: call.options.slice(0, call.leading) }, names) && test(call)
// all values that the verb can have; '?': unknown
const verbsOf = ({ operands: [verb] }: Call): readonly string[] => (verb ? (valuesOf(verb) ?? ['?']) : [])
export const withVerb =
  (names: string): Test =>
  (call) =>
    verbsOf(call).some((verb) => verb === '?' || isOn(names, verb))
export const withOtherVerb =
  (names: string): Test =>
  (call) =>
    verbsOf(call).some((verb) => !isOn(names, verb))

/** A device that the program names in its own notation, or chooses itself. */
export const device: Effect = { does: 'formats', path: null }
// UUID=…, LABEL=…, and a name that find fills in
const isNotation = /^(?:PART)?(?:UUID|LABEL)=|\{\}/

// the operands, and a device in the value of an option
function targetsOf({ operands, arguments: given, command }: Call): Effect[] {
  const values = given.filter(({ option, kind }) => option !== null && kind === 'text')
  const inValues = values.flatMap(({ word }) => pathsOf(word, false))
  const paths = [
    ...operands.map((word) => (isNotation.test(word.prefix) ? null : pathOf(word))),
    ...inValues.filter((path) => anyLike(path.values ?? [path.prefix], /^\/+dev\//)),
    ...(command.fed ? [pathOf(unknownWord(''))] : []),
  ]
  return paths.map((path) => ({ does: 'formats', path }))
}

/** The effects of a program that writes to its operands. An image file is harmless, so the guards judge the path. */
export const onOperands = (test: Test) => (call: Call) => (test(call) && !wantsHelp(call) ? targetsOf(call) : [])
/** The effects of a program that names the disk in its own notation. */
export const onDevice = (test: Test) => (call: Call) =>
  when(call.words.length > 0 && test(call) && !wantsHelp(call), device)
/** As `onOperands`; without an operand it chooses the disks itself or reads their names from stdin. */
export const onAny = (test: Test) => (call: Call) =>
  call.operands.length > 0 ? onOperands(test)(call) : when(test(call) && !wantsHelp(call), device)
