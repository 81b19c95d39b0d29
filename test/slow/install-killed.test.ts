import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../support/helper.ts'
import { artifact, put } from '../support/termux/artifacts.ts'
import { appUid, home, loginEnv, prefix, startPhone, whyNot } from '../support/termux/phone.ts'
import { exec, healthy, read, running, until } from '../support/termux/service.ts'

/** More steps than an upgrade has. */
const MAX_STEPS = 80
/** The programs on PATH that install.sh and setup start; each start is a step. */
const programs = 'mkdir ln mv rm cp mktemp tar sha256sum readlink chmod sync grep sv'.split(' ')

/** Counts its starts. At the step in ~/kill-at, it kills the installation and its own parent (which may be setup) instead of running. */
const wrapper = (name: string) => `#!${prefix}/bin/sh
exec 9>>~/steps; echo ${name} >&9; exec 9>&-
count=0; while read -r _; do count=$((count + 1)); done <~/steps
read -r at <~/kill-at; read -r installer <~/installer
if [ $count = $at ]; then kill -9 $installer; kill -9 $PPID; exit 137; fi
exec ${prefix}/bin/${name} "$@"
`

t.test('kill -9 at each step of an upgrade', { skip: whyNot() ?? false }, async (t) => {
  const phone = await startPhone()
  t.teardown(() => phone.stop())
  const versions = ['0.1.1', '0.1.2']
  const files = Object.fromEntries(versions.map((version) => [`${version}.tgz`, artifact(version)]))
  const releases = put(phone, 'releases', { ...files, 'install.sh': readFileSync(join(root, 'termux/install.sh')) })
  const wrappers = phone.path(`${home}/wrappers`)
  mkdirSync(wrappers)
  for (const name of programs) {
    writeFileSync(join(wrappers, name), wrapper(name))
    chmodSync(join(wrappers, name), 0o755)
    chownSync(join(wrappers, name), appUid, appUid)
  }
  const words = (version: string) => `--allow-downgrade --from ${releases}/${version}.tgz`
  const install = (version: string) => phone.run(`sh ${releases}/install.sh ${words(version)}`)
  const killedAt = (step: number, version: string) =>
    phone.run(
      `: >steps; echo ${step} >kill-at; sh -c 'echo $$ >installer; exec sh ${releases}/install.sh ${words(version)}'; code=$?; exit $code`,
      { ...loginEnv, PATH: `${home}/wrappers:${prefix}/bin` },
    )
  await phone.run('pkg install -y nodejs-lts </dev/null')
  t.equal((await install(versions[0]!)).code, 0)

  let step = 0
  let current = 0
  for (let isKilled = true; isKilled && step < MAX_STEPS; current = 1 - current) {
    step += 1
    const [old, next] = [versions[current]!, versions[1 - current]!]
    const ran = await killedAt(step, next)
    isKilled = ran.code !== 0
    const name = `step ${step}, ${read(phone, `${home}/steps`).split('\n').at(-1)}`
    t.match(
      (await phone.run('shellphone version')).stdout,
      isKilled ? /^0\.1\.[12]\n$/ : `${next}\n`,
      `${name}: the command works`,
    )
    await healthy(phone)
    t.match(await exec(phone, { command: 'echo hi' }), { stdout: 'hi\n' }, `${name}: the service works`)
    t.ok(running(phone, `/versions/${old}.`).length + running(phone, `/versions/${next}.`).length > 0, name)
    const again = await install(next)
    t.equal(again.code, 0, `${name}: the next installation completes: ${again.stderr}`)
    await until('the new version runs', () => running(phone, `/versions/${next}.`).length === 1)
    const left = (await phone.run(`ls -A $PREFIX/opt/shellphone $PREFIX/opt/shellphone/versions`)).stdout
    t.match(
      left,
      new RegExp(`:\\ncurrent\\nversions\\n\\n.*:\\n${next.replaceAll('.', '\\.')}\\.\\w+\\n$`),
      `${name}: nothing is left over`,
    )
  }
  t.ok(step > 15 && step < MAX_STEPS, `${step} steps`)
})
