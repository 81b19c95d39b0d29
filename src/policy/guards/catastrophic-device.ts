/** Power, and damage to the phone's installed programs and settings. */
import { operands } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import type { Rule } from './rule.ts'

const guard = 'catastrophic'
const first = (command: SimpleCommand, ...names: string[]) => names.includes(operands(command)[0]?.literal ?? '')
// `cmd package uninstall x` is `pm uninstall x`
const verbOf = (command: SimpleCommand, program: string, service: string): string | null => {
  if (command.name === program) return operands(command)[0]?.literal ?? ''
  const words = operands(command)
  return command.name === 'cmd' && words[0]?.literal === service ? (words[1]?.literal ?? '') : null
}

function powers(command: SimpleCommand): boolean {
  const { name, args } = command
  if (/^(?:shutdown|reboot|poweroff|halt)$/.test(name)) {
    return !args.some((arg) => /^(?:--help|--version|-c|--show)$/.test(arg))
  }
  if (/^(?:init|telinit)$/.test(name)) return first(command, '0', '6')
  if (name === 'systemctl' || name === 'loginctl') {
    return args.some((arg) =>
      /^(?:poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|emergency|rescue|soft-reboot)$/.test(arg),
    )
  }
  if (name === 'setprop') return /^(?:sys\.powerctl|ctl\.|persist\.)/.test(operands(command)[0]?.prefix ?? '')
  if (name === 'svc') return first(command, 'power') && args.some((arg) => /^(?:shutdown|reboot)$/.test(arg))
  if (name === 'cmd') return first(command, 'power') && args.some((arg) => /^(?:shutdown|reboot)$/.test(arg))
  if (name === 'adb' || name === 'fastboot') {
    return (
      args.some((arg) => /^reboot(?:-|$)/.test(arg)) ||
      (name === 'fastboot' && args.some((arg) => /^(?:flash|erase|format|-w|oem|flashing)/.test(arg)))
    )
  }
  return (
    name === 'am' &&
    args.some((arg) => /(?:ACTION_|action\.)(?:REBOOT|SHUTDOWN|REQUEST_SHUTDOWN|ACTION_REQUEST_SHUTDOWN)/.test(arg))
  )
}

function uninstalls(command: SimpleCommand): boolean {
  const verb = verbOf(command, 'pm', 'package')
  if (verb !== null) {
    return (
      /^(?:uninstall|clear|disable|disable-user|disable-until-used|hide|suspend|reset-permissions|revoke|remove-user|uninstall-system-updates|default-state|trim-caches)$/.test(
        verb,
      ) ||
      (verb === 'set-install-location' && false)
    )
  }
  if (command.name === 'adb') return first(command, 'uninstall') || command.args.includes('uninstall')
  const activity = verbOf(command, 'am', 'activity')
  if (activity !== null) return /^(?:kill-all|restart|hang|crash)$/.test(activity)
  if (/^(?:pkg|apt|apt-get|dpkg|aptitude|nala)$/.test(command.name)) return removesSystem(command)
  return false
}

function removesSystem(command: SimpleCommand): boolean {
  const removing = command.args.some((arg) =>
    /^(?:remove|purge|uninstall|autoremove|un|--purge|-r|-P|--remove|full-upgrade-remove)$/.test(arg),
  )
  return (
    removing &&
    command.args.some((arg) =>
      /^(?:bash|dash|busybox|coreutils|toybox|termux-\w+|libc6?|libc\+\+|apt|dpkg|nodejs(?:-lts)?|openssl|libandroid-\w+|util-linux|systemd|linux-image.*|init|base-files)$/.test(
        arg,
      ),
    )
  )
}

function damages(command: SimpleCommand): boolean {
  const { name, args } = command
  const verb = verbOf(command, 'settings', 'settings')
  if (verb !== null) {
    return /^(?:delete|reset)$/.test(verb) || (verb === 'put' && args.some((arg) => /^(?:global|secure)$/.test(arg)))
  }
  if (name === 'content') return first(command, 'delete')
  if (name === 'dpm' || name === 'recovery' || name === 'uncrypt' || name === 'vdc' || name === 'bmgr') {
    return args.some((arg) =>
      /wipe|set-device-owner|set-profile-owner|remove-active-admin|volume|cryptfs|reset/.test(arg),
    )
  }
  if (name === 'sm') return first(command, 'format', 'partition', 'forget', 'unmount', 'benchmark')
  if (name === 'locksettings') return !first(command, 'get-disabled', 'verify', 'help')
  if (name === 'setenforce') return true
  if (name === 'mount') {
    return args.some((arg) => /remount/.test(arg)) && args.some((arg) => /^\/(?:system|vendor|product|odm)?$/.test(arg))
  }
  if (name === 'magisk') return args.includes('--remove-modules')
  if (name === 'device_config') return first(command, 'reset', 'delete')
  return name === 'am' && args.some((arg) => /MASTER_CLEAR|FACTORY_RESET|WIPE/.test(arg))
}

export const deviceRules: readonly Rule[] = [
  {
    guard,
    name: 'power',
    verdict: 'deny',
    risk: 'high',
    reason: 'This would shut down or restart the device that this service runs on.',
    match: [
      'reboot',
      'sudo shutdown -h now',
      'svc power reboot',
      'setprop sys.powerctl reboot',
      'init 0',
      'systemctl poweroff',
      'su -c reboot',
      '/system/bin/reboot -p',
    ],
    notMatch: [
      'echo reboot',
      'uptime',
      'systemctl status x',
      'last reboot',
      'grep shutdown log',
      'shutdown --help',
      'getprop sys.boot_completed',
    ],
    command: powers,
  },
  {
    guard,
    name: 'uninstall',
    verdict: 'deny',
    risk: 'high',
    reason: 'This would remove or reset an app, or a package that the service itself stands on.',
    match: [
      'pm uninstall com.example',
      'pm clear com.example',
      'cmd package uninstall com.example',
      'pm disable-user --user 0 com.x',
      'pkg uninstall nodejs',
      'apt-get purge bash',
    ],
    notMatch: [
      'pm list packages',
      'pm path com.example',
      'pm install x.apk',
      'pkg uninstall cowsay',
      'apt remove vim',
      'npm uninstall left-pad',
      'dumpsys package com.x',
    ],
    command: uninstalls,
  },
  {
    guard,
    name: 'device-settings',
    verdict: 'deny',
    risk: 'high',
    reason: "This would change or wipe the device's own settings or data.",
    match: [
      'settings put global airplane_mode_on 1',
      'settings delete secure x',
      'content delete --uri content://sms',
      'am broadcast -a android.intent.action.MASTER_CLEAR',
      'recovery --wipe_data',
      'mount -o remount,rw /system',
      'locksettings clear',
    ],
    notMatch: [
      'settings get global adb_enabled',
      'settings list system',
      'settings put system screen_brightness 100',
      'content query --uri content://sms',
      'am start -a android.intent.action.VIEW -d https://x.org',
      'mount',
    ],
    command: damages,
  },
]
