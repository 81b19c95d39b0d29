/** Programs that build others. */
import { pathOf } from './paths.ts'
import { operandTexts, type Program } from './program.ts'

export const build: readonly Program[] = [
  {
    names: 'make gmake bmake ninja samu',
    code: { language: 'make' },
    options: {
      dir: 'C directory',
      script: 'f file makefile',
      read: 'I include-dir o old-file W',
      text: 'j jobs l',
      code: 'eval E',
    },
    others: /^--eval|^-E|^SHELL=|=.*[$`!\s]|!=/,
    effects: (call) =>
      operandTexts(call).some((text) => /^(?:un)?install$|^(?:dist)?clean$/.test(text)) ? [{ does: 'changes' }] : [],
  },
  {
    names: 'cmake',
    others: /^-[PC]$|^SHELL=|TOOLCHAIN|_LAUNCHER|_COMMAND|_COMPILER=/,
    dashed: true,
    options: { read: 'P C E-none', dir: 'S B', text: 'G D' },
    effects: (call) =>
      call.words.some(({ literal }) => literal === '-E')
        ? operandTexts(call)[0] === 'rm' || /^remove/.test(operandTexts(call)[0] ?? '')
          ? call.operands.slice(1).map((word) => ({
              does: 'deletes',
              recursive: true,
              path: pathOf(word, true),
            }))
          : /^(?:env|time|chdir|cmake_\w+|__\w+)$/.test(operandTexts(call)[0] ?? '')
            ? [{ does: 'runs', what: 'hidden' }]
            : [{ does: 'changes' }]
        : [],
  },
  {
    names: 'cc gcc g++ c++ clang clang++ tcc ld as rustc',
    dashed: true,
    options: {
      read: 'I isystem iquote idirafter include imacros L B T sysroot isysroot specs o MF',
      text: 'D U l x std MT MQ m f W O',
      code: 'wrapper fplugin',
    },
    others: /^-(?:wrapper|fplugin|B|specs|Xlinker|load|Wl,|run|plugin|fuse-ld|-ld-path|-config|C)|^@|linker=/,
  },
]
