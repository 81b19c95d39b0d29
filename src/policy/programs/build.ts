/** Programs that build others. */
import { changes, type Effect, hidden, when } from './effect.ts'
import { deleted } from './paths.ts'
import { type Call, firstOf, type Rows, says } from './program.ts'

// cmake -E VERB: its own small tools
function cmakeTool(call: Call): readonly Effect[] {
  if (!call.words.some(({ literal }) => literal === '-E')) return []
  if (/^(?:rm$|remove)/.test(firstOf(call))) return deleted(call.operands.slice(1), { recursive: true })
  return [/^(?:env|time|chdir|cmake_\w+|__\w+)$/.test(firstOf(call)) ? hidden : changes]
}

export const build: Rows = {
  'make gmake bmake ninja samu': {
    code: { language: 'make' },
    options: 'dir: C directory; script: f file makefile; read: I include-dir o old-file W; code: eval E',
    others: /^--eval|^-E|^SHELL=|=.*[$`!\s]|!=/,
    effects: (call) => when(says(call, /^(?:un)?install$|^(?:dist)?clean$/), changes),
  },
  cmake: {
    others: /^-[PC]$|^SHELL=|TOOLCHAIN|_LAUNCHER|_COMMAND|_COMPILER=/,
    dashed: true,
    options: 'read: P C E-none; dir: S B; text: G D',
    effects: cmakeTool,
  },
  'cc gcc g++ c++ clang clang++ tcc ld as rustc': {
    dashed: true,
    options:
      'read: I isystem iquote idirafter include imacros L B T sysroot isysroot specs o MF; text: D U l x std MT MQ; code: wrapper fplugin',
    others: /^-(?:wrapper|fplugin|B|specs|Xlinker|load|Wl,|run|plugin|fuse-ld|-ld-path|-config|C)|^@|linker=/,
  },
}
