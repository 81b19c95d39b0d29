/** Build tools: make and similar programs, and compilers. */
import { changes, type Effect, hidden, when } from './effect.ts'
import { literalWord, type Word } from '../script/script.ts'
import { type Call, firstOf, anyOperandLike, textsOf, valuesOfOption } from './program.ts'
import { deleted } from './paths.ts'
import { table } from './table.ts'

// cmake -E VERB: its built-in tools
function cmakeTool(call: Call): readonly Effect[] {
  if (!call.words.some(({ literal }) => literal === '-E')) return []
  if (/^(?:rm$|remove)/.test(firstOf(call))) return deleted(call.operands.slice(1), { recursive: true })
  return [/^(?:env|time|chdir|cmake_\w+|__\w+)$/.test(firstOf(call)) ? hidden : changes]
}

// variables of make's built-in rules that name programs
const ofPrograms =
  /^(?:SHELL|MAKE|AR|AS|CC|CXX|CPP|FC|M2C|PC|CO|GET|LEX|YACC|LINT|MAKEINFO|TEX|TEXI2DVI|WEAVE|TANGLE|CWEAVE|CTANGLE|RM|LD|OBJCOPY|RANLIB|STRIP|INSTALL|NODE|NPM|GO|CARGO|\w*PYTHON3?|PERL|RUBY|\w*_?(?:CMD|COMMAND|PROG|PROGRAM))$/

// NAME=PROGRAM, NAME!=CODE, $(shell CODE), and the lines of rules in --eval
function makeCodes(call: Call): Word[] {
  const given = textsOf(call)
  const texts = [...given, ...valuesOfOption(call, 'eval E')]
  const set = given.flatMap((text) => {
    const [, name = '', sign, value = ''] = /^([\w.]+)\s*(:{0,3}|[+?!])=\s*(.*)$/s.exec(text) ?? []
    if (name === '.SHELLFLAGS') return [value.replace(/^(?:-\S+\s+)+/, '')]
    return sign === '!' || ofPrograms.test(name) ? [value] : []
  })
  const called = texts.flatMap((text) => [...text.matchAll(/\$[({]shell\s+([^]*)[)}]/g)].map(([, code]) => code!))
  const lines = texts.flatMap((text) => [...text.matchAll(/[;\t]\s*[-@+]+\s*(.*)/g)].map(([, code]) => code!))
  return [...set, ...called, ...lines].map(literalWord)
}

export const builders = table([
  {
    names: 'make gmake bmake ninja samu',
    language: 'make',
    options: { dir: 'C directory', script: 'f file makefile', read: 'I include-dir o old-file W', code: 'eval E' },
    codes: makeCodes,
    startsOthers: /^--eval|^-E|^SHELL=|=.*[$`!\s]|!=/,
    effects: (call) => when(anyOperandLike(call, /^(?:un)?install$|^(?:dist)?clean$/), changes),
  },
  {
    names: 'cmake',
    dashed: true,
    startsOthers: /^-[PC]$|^SHELL=|TOOLCHAIN|_LAUNCHER|_COMMAND|_COMPILER=/,
    options: { read: 'P C E-none', dir: 'S B', text: 'G D' },
    effects: cmakeTool,
  },
  {
    names: 'cc gcc g++ c++ clang clang++ tcc ld as rustc',
    dashed: true,
    startsOthers: /^-(?:wrapper|fplugin|B|specs|Xlinker|load|Wl,|run|plugin|fuse-ld|-ld-path|-config|C)|^@|linker=/,
    options: {
      read: 'I isystem iquote idirafter include imacros L B T sysroot isysroot specs o MF',
      text: 'D U l x std MT MQ',
      code: 'wrapper fplugin',
    },
  },
])
