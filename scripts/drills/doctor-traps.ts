import { cpSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { home, loginEnv, type Phone, prefix } from '../../test/support/termux/phone.ts'
import { exec, healthy, read, until } from '../../test/support/termux/service.ts'

const service = `${prefix}/var/service/shellphone`
const log = `${prefix}/var/log/sv/shellphone`
const config = `${home}/.shellphone/config.yaml`
const library = loginEnv.LD_PRELOAD!

/** A problem on the phone: how to cause and undo it, and the row and exit code that doctor must report. */
export interface Trap {
  what: string
  on: string | ((phone: Phone) => unknown)
  off: string
  row: string
  status: 'warning' | 'error'
  /** the environment of doctor, if the problem is in it */
  env?: Record<string, string>
  /** true: the problem takes effect some time after `on` */
  settles?: (phone: Phone) => Promise<unknown>
}

/** The environment of a login shell that has run start-services.sh. */
export const shellEnv = { ...loginEnv, SVDIR: `${prefix}/var/service` }
const playEnv = { ...shellEnv, TERMUX_VERSION: 'googleplay.2026.06.21' }

const setting = (line: string) => `echo '${line}' >${config}; sleep 0.5`
const restart = (lines: string) => `printf '${lines}' >${config}; sv -w 15 restart ${service}`
const wellAgain = `rm -f ${config}; sv -w 15 restart ${service}`
const without = (path: string) => ({ on: `mv ${path} ${path}.away`, off: `mv ${path}.away ${path}` })
const program = (name: string, text: string) => ({
  on: `cp -P $PREFIX/bin/${name} ~/away; rm $PREFIX/bin/${name}; printf '#!${prefix}/bin/sh\\n${text}\\n' >$PREFIX/bin/${name}; chmod 755 $PREFIX/bin/${name}`,
  off: `mv -f ~/away $PREFIX/bin/${name}`,
})
const noAddress = {
  on: ': >$PREFIX/etc/no-interfaces; : >$PREFIX/etc/no-ifconfig; mv $PREFIX/bin/termux-wifi-connectioninfo ~/wifi',
  off: 'mv ~/wifi $PREFIX/bin/termux-wifi-connectioninfo; rm $PREFIX/etc/no-*',
}

/** Kills the listener that `node -e` started. */
const endListener = "for pid in $(ps -eo pid,args | grep createServe[r] | awk '{print $1}'); do kill $pid; done"
const crashes = (phone: Phone) =>
  until(
    'it crashed three times',
    () => (read(phone, `${log}/current`).match(/shellphone exited after/g) ?? []).length > 2,
  )

/** All problems except the last ones start and end with a healthy phone, because crashes and kills leave entries in the log and the history. */
export const traps: Trap[] = [
  {
    what: 'a bad setting',
    on: setting('max_running: many'),
    off: `rm ${config}; sleep 0.5`,
    row: 'settings',
    status: 'error',
  },
  { what: 'sv down', on: `sv -w 15 down ${service}`, off: `sv up ${service}`, row: 'supervisor', status: 'error' },
  {
    what: 'the service is not running',
    on: `sv -w 15 down ${service}`,
    off: `sv up ${service}`,
    row: 'service',
    status: 'error',
  },
  { what: 'no sv', ...without('$PREFIX/bin/sv'), row: 'supervisor', status: 'error' },
  { what: 'sv hangs', ...program('sv', 'exec sleep 1000'), row: 'supervisor', status: 'warning' },
  { what: 'SVDIR is not set', on: ':', off: ':', row: 'SVDIR', status: 'warning', env: loginEnv },
  {
    what: 'an endless log',
    on: (phone) => {
      writeFileSync(phone.path(`${log}/@1.s`), '')
      truncateSync(phone.path(`${log}/@1.s`), 21_000_000)
    },
    off: `rm -f ${log}/@1.s`,
    row: 'log',
    status: 'warning',
  },
  {
    what: 'another program has the port',
    on: `sv -w 15 down ${service}; (node -e 'require("net").createServer().listen(8029, "0.0.0.0")' >/dev/null 2>&1 &); sleep 1`,
    off: `${endListener}; sv up ${service}`,
    row: 'port',
    status: 'error',
  },
  { what: 'no address', ...noAddress, row: 'own addresses', status: 'warning' },
  {
    what: 'no Termux:API app',
    ...program('pm', '[ "$2" = com.termux.api ] || echo package:x'),
    row: 'Termux:API',
    status: 'warning',
  },
  {
    what: 'Termux:API hangs',
    ...program('termux-battery-status', 'exec sleep 1000'),
    row: 'Termux:API',
    status: 'warning',
  },
  { what: 'no termux-api', ...without('$PREFIX/bin/termux-battery-status'), row: 'Termux:API', status: 'warning' },
  {
    what: 'the Play build',
    on: ':',
    off: ':',
    row: 'Termux build',
    status: 'warning',
    env: playEnv,
  },
  {
    what: 'the Play build on Android 17',
    ...program('getprop', 'echo 37'),
    row: 'Termux build',
    status: 'error',
    env: playEnv,
  },
  { what: 'no termux-exec', ...without(library), row: 'LD_PRELOAD', status: 'error' },
  {
    what: 'termux-exec does nothing',
    on: (phone) => {
      renameSync(phone.path(library), phone.path(`${library}.away`))
      cpSync(phone.path(`${prefix}/lib/nothing.so`), phone.path(library))
    },
    off: `mv -f ${library}.away ${library}`,
    row: '#!/usr/bin/env',
    status: 'error',
  },
  { what: 'no boot script', ...without(`${home}/.termux/boot/shellphone`), row: 'boot script', status: 'warning' },
  {
    what: 'another boot script',
    on: 'cp .termux/boot/shellphone away; echo exit >>.termux/boot/shellphone',
    off: 'mv -f away .termux/boot/shellphone',
    row: 'boot script',
    status: 'warning',
  },
  {
    what: 'a folder in ~/.termux/boot',
    on: 'mkdir .termux/boot/backup',
    off: 'rm -r .termux/boot/backup',
    row: 'boot folder',
    status: 'error',
  },
  {
    what: 'no Termux:Boot app',
    ...program('pm', '[ "$2" = com.termux.boot ] || echo package:x'),
    row: 'Termux:Boot',
    status: 'warning',
  },
  {
    what: 'files with dates in the future',
    on: (phone) =>
      utimesSync(phone.path(`${home}/.shellphone/lock`), new Date(), new Date(Date.now() + 3 * 86_400_000)),
    off: 'touch .shellphone/lock',
    row: 'clock',
    status: 'error',
  },
  {
    what: 'a full disk',
    on: setting('min_free_bytes: 1099511627776'),
    off: `rm ${config}; sleep 0.5`,
    row: 'disk',
    status: 'error',
  },
  { what: 'the home in tmp', on: ':', off: ':', row: 'home', status: 'error', env: { ...shellEnv, TMPDIR: home } },
  {
    what: 'others may read the hash of the token',
    on: 'touch .shellphone/owner.sha256; chmod 644 .shellphone/owner.sha256',
    off: 'chmod 600 .shellphone/owner.sha256',
    row: 'home',
    status: 'error',
  },
  {
    what: 'tls is off on the LAN',
    on: restart('tls: off\\n'),
    off: wellAgain,
    row: 'encryption',
    status: 'warning',
    settles: healthy,
  },
  {
    what: 'no guard is on',
    on: setting('policy: open'),
    off: `rm ${config}; sleep 0.5`,
    row: 'policy',
    status: 'error',
  },
  {
    what: 'every origin',
    on: setting('allowed_origins: ["*"]'),
    off: `rm ${config}; sleep 0.5`,
    row: 'origins',
    status: 'error',
  },
  {
    what: 'a token that never expires',
    on: 'shellphone token create endless',
    off: 'shellphone token revoke endless',
    row: 'tokens without expiry',
    status: 'warning',
  },
  {
    what: 'Android killed a command',
    on: (phone) => exec(phone, { command: 'kill -9 $$' }),
    off: '',
    row: 'phantom processes',
    status: 'warning',
  },
  {
    what: 'a crash loop',
    on: restart('port: no\\n'),
    off: '',
    row: 'crash loop',
    status: 'error',
    settles: crashes,
  },
]
