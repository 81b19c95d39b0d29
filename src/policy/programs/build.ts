/** Programs that build others. */
import { changes, type Effect, hidden, when } from './effect.ts'
import { deleted } from './paths.ts'
import { type Call, firstOf, says } from './program.ts'
import { readTable } from './table.ts'

// cmake -E VERB: its own small tools
function cmakeTool(call: Call): readonly Effect[] {
  if (!call.words.some(({ literal }) => literal === '-E')) return []
  if (/^(?:rm$|remove)/.test(firstOf(call))) return deleted(call.operands.slice(1), { recursive: true })
  return [/^(?:env|time|chdir|cmake_\w+|__\w+)$/.test(firstOf(call)) ? hidden : changes]
}

export const build = readTable(
  `
make gmake bmake ninja samu = language: make; dir: C directory; script: f file makefile; read: I include-dir o old-file W; code: eval E
cmake = dashed; read: P C E-none; dir: S B; text: G D; others: /^-[PC]$|^SHELL=|TOOLCHAIN|_LAUNCHER|_COMMAND|_COMPILER=/
cc gcc g++ c++ clang clang++ tcc ld as rustc = dashed;
  read: I isystem iquote idirafter include imacros L B T sysroot isysroot specs o MF; text: D U l x std MT MQ; code: wrapper fplugin;
  others: /^-(?:wrapper|fplugin|B|specs|Xlinker|load|Wl,|run|plugin|fuse-ld|-ld-path|-config|C)|^@|linker=/
`,
  {
    make: {
      others: /^--eval|^-E|^SHELL=|=.*[$`!\s]|!=/,
      effects: (call) => when(says(call, /^(?:un)?install$|^(?:dist)?clean$/), changes),
    },
    cmake: { effects: cmakeTool },
  },
)
