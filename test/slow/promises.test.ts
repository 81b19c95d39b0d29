import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import type TypeScript from 'typescript'
import { root } from '../support/helper.ts'

const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

/** The typed rules of oxlint, which need a program that only the slow suites install. */
function lint(...paths: string[]) {
  const env = { ...process.env, OXLINT_TSGOLINT_PATH: join(root, 'test/slow/node_modules/.bin/tsgolint') }
  const program = join(root, 'node_modules/.bin/oxlint')
  const options = ['--type-aware', '--disable-nested-config', '-c', 'test/slow/promises.oxlintrc.json', '-f', 'unix']
  return spawnSync(program, [...options, ...paths], { cwd: root, env, encoding: 'utf8' })
}

t.test('handles every promise', async (t) => {
  const { status, stdout } = lint('src', 'test', 'scripts')
  t.equal(status, 0, stdout)
  const probe = join(t.testdir({ 'tsconfig.json': '{ "compilerOptions": { "strict": true } }' }), 'probe.ts')
  const [later, each] = ['declare function later(): Promise<void>', 'declare function each(act: () => void): void']
  writeFileSync(probe, `${later}; ${each}\nlater()\neach(() => later())\n`)
  const found = lint(probe).stdout
  t.match(found, /:2:1: .*no-floating-promises/, 'a floating promise is found')
  t.match(found, /:3:\d+: .*no-misused-promises/, 'a promise returned to a caller that does not await it is found')
})

/** Whether a promise dropped with `void` cannot reject: its function's comment says so, or a handler is attached. */
function isSettled(node: TypeScript.Expression, checker: TypeScript.TypeChecker): boolean {
  if (ts.isParenthesizedExpression(node)) return isSettled(node.expression, checker)
  if (ts.isBinaryExpression(node)) return isSettled(node.right, checker)
  if (!ts.isCallExpression(node)) return saysSo(checker.getSymbolAtLocation(node), checker)
  const { expression: callee, arguments: given } = node
  const method = ts.isPropertyAccessExpression(callee) ? callee.name.text : ''
  if (method === 'catch' || method === 'allSettled' || (method === 'then' && given.length === 2)) return true
  if (ts.isPropertyAccessExpression(callee) && ['then', 'finally'].includes(method))
    return isSettled(callee.expression, checker)
  return saysSo(checker.getResolvedSignature(node), checker)
}

const saysSo = (said: TypeScript.Signature | TypeScript.Symbol | undefined, checker: TypeScript.TypeChecker) =>
  /never rejects/i.test(ts.displayPartsToString(said?.getDocumentationComment(checker)))

/** Code that runs for a long time. An unexpected error ends a command line, and the page shows failed requests. */
const services = /^\/src\/(?:server|fleet|http|shared|sdk)\//

/** The places where `void` drops a promise that may reject. */
function dropped(): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(fileNames, options)
  const checker = program.getTypeChecker()
  const found: string[] = []
  for (const file of program.getSourceFiles().filter(({ fileName }) => services.test(fileName.slice(root.length)))) {
    const visit = (node: TypeScript.Node): void => {
      ts.forEachChild(node, visit)
      if (!ts.isVoidExpression(node)) return
      const type = checker.getNonNullableType(checker.getTypeAtLocation(node.expression))
      const isPromise = checker.getPropertyOfType(type, 'then') !== undefined
      const isReply = type.symbol?.name === 'FastifyReply' // Fastify handles its errors
      if (!isPromise || isReply || isSettled(node.expression, checker)) return
      found.push(
        `${file.fileName.slice(root.length)}:${file.getLineAndCharacterOfPosition(node.pos).line + 1} ${node.getText()}`,
      )
    }
    visit(file)
  }
  return found
}

t.test('`void` drops only promises that are documented never to reject', async (t) => {
  t.same(dropped(), [])
})
