import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** The modules of src/sdk whose types are public. */
const names = ['types', 'socket', 'phone-error', 'phone-client', 'pair', 'client-node']
const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  declaration: true,
  emitDeclarationOnly: true,
  allowImportingTsExtensions: true,
}

/** Writes the declarations of the typed client as one self-contained file. */
export function writeClientTypes(root, file) {
  const files = names.map((name) => join(root, 'src/sdk', `${name}.ts`))
  const parts = new Map()
  ts.createProgram(files, options).emit(undefined, (path, text) => parts.set(path, text))
  const texts = files.map((path) => parts.get(path.replace(/ts$/, 'd.ts')))
  const lines = [readFileSync(join(root, 'src/sdk/openapi.d.ts'), 'utf8'), ...texts].join('\n').split('\n')
  writeFileSync(file, `${lines.filter((line) => !/^(import|export \*) /.test(line)).join('\n')}\n`)
}
