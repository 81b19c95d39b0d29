import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'acorn'

/**
 * Replaces a bundle's CommonJS wrappers (`var a = wrap((exports, module) => {…})`) by parenthesized functions. V8 compiles these while it
 * parses the file, but parses any other function twice, first to skip it and again when it is called (v8.dev/blog/preparser#pife). Nearly all
 * wrappers are called as soon as the file is loaded. The arrow functions use neither `this` nor `arguments`, because esbuild has replaced them.
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
