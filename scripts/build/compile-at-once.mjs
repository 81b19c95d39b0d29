import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'acorn'

/**
 * Puts a bundle's wrappers of CommonJS modules (`var a = wrap((exports, module) => {…})`) into parentheses, as functions: V8 compiles those
 * while it reads the file, and would read any other twice, to skip it and when it is called (v8.dev/blog/preparser#pife). Nearly each
 * is called as soon as its file is loaded. A `this` or `arguments` of the arrow function is not possible: esbuild has replaced it.
 */
export function compileAtOnce(file) {
  let text = readFileSync(file, 'utf8')
  const { body } = parse(text, { ecmaVersion: 'latest', sourceType: 'module' })
  const inits = body.flatMap(({ type, declarations }) =>
    type === 'VariableDeclaration' ? declarations.map(({ init }) => init) : [],
  )
  const wrappers = inits
    .filter((init) => init?.type === 'CallExpression' && init.arguments.length === 1)
    .map(({ arguments: [only] }) => only)
    .filter((only) => only.type === 'ArrowFunctionExpression' && !only.async && only.body.type === 'BlockStatement')
  for (const { start, end, params, body } of wrappers.reverse()) {
    const names = params.map((param) => text.slice(param.start, param.end))
    text = `${text.slice(0, start)}(function(${names}){${text.slice(body.start + 1, end)})${text.slice(end)}`
  }
  writeFileSync(file, text)
}
