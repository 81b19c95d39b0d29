/** Programs that run another command as another user, or in another root directory. */
import { literalWord } from '../script/script.ts'
import { type Call, textsOf, valuesOfOption } from './program.ts'
import { table } from './table.ts'

// su root -s PROGRAM ARGUMENTS; su -c OPTION root CODE, because sh takes options after -c
const asShell = (call: Call) => [
  ...valuesOfOption(call, 's shell')
    .filter((shell) => !/(?:^|\/)(?:ba|da|k|mk|z)?sh$/.test(shell))
    .map((shell) => literalWord([shell, ...textsOf(call).slice(1)].join(' '))),
  ...(valuesOfOption(call, 'c command session-command').some((code) => /^[-+]/.test(code))
    ? textsOf(call).map(literalWord)
    : []),
]

export const privilege = table([
  {
    names: 'termux-chroot fakeroot fakechroot',
    ordered: true,
    runs: true,
    transparent: true,
    orShell: true,
    startsOthers: /^-[a-z]*l|^--e?lib/,
    options: { text: 'b fd-base config-dir', read: 'i l lib elib', write: 's', code: 'f faked' },
    unclear: 'l lib elib',
  },
  {
    names: 'sudo! tsudo',
    ordered: true,
    does: [{ does: 'privilege' }],
    runs: true,
    assignments: true,
    idle: 'l v k K V',
    orShell: true,
    options: {
      text: `
        u g p C R T h r t U a c user group prompt host role type close-from chroot command-timeout other-user
        login-class auth-type
      `,
      dir: 'D chdir',
    },
  },
  {
    names: 'doas pkexec',
    ordered: true,
    does: [{ does: 'privilege' }],
    runs: true,
    orShell: true,
    options: { text: 'u C user' },
  },
  {
    names: 'su tsu runuser',
    does: [{ does: 'privilege' }],
    runs: true,
    skip: 1,
    noSkipWith: 'u user',
    orShell: true,
    options: {
      text: 's g G w t T u user group supp-group whitelist-environment shell',
      code: 'c command session-command',
    },
    codes: asShell,
  },
  { names: 'newgrp', orShell: true, runs: true, skip: 1, does: [{ does: 'privilege' }] },
  { names: 'sudoedit visudo', does: [{ does: 'privilege' }] },
  { names: 'run-as', ordered: true, does: [{ does: 'privilege' }], runs: true, skip: 1, orShell: true },
  { names: 'sg', ordered: true, runs: true, skip: 1, orShell: true, joined: true, options: { code: 'c' } },
  { names: 'chroot', ordered: true, runs: true, skip: 1, orShell: true, options: { text: 'userspec groups' } },
  {
    names: 'unshare',
    ordered: true,
    runs: true,
    doubtful: true,
    orShell: true,
    options: { text: 'S G R w setuid setgid root wd propagation setgroups map-user map-group map-users map-groups' },
  },
  {
    names: 'nsenter proot firejail nix-shell',
    ordered: true,
    runs: true,
    doubtful: true,
    orShell: true,
    options: { text: 'r b w q k G S R m target rootfs' },
  },
  {
    names: 'proot-distro',
    runs: true,
    after: 'login sh run',
    skip: 1,
    orShell: true,
    changingVerbs: 'install remove reset restore rename clear-cache backup',
    options: { text: 'user bind termux-home work-dir env override-alias' },
    verbs: { '*': { text: 'user bind work-dir env override-alias' } },
  },
])
