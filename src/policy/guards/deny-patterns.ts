/** PicoClaw's categories of refused commands, told by what they do instead of by text; and the operator's own patterns. */
import type { Finding } from '../../schema/index.ts'
import type { Scene } from '../context.ts'
import { effectsOf } from '../programs/index.ts'
import { isDisk, isForkBomb } from './catastrophic.ts'
import { customFindings, isExempt } from './custom-patterns.ts'
import { type Rule, speak } from './rule.ts'

const base = { guard: 'deny-patterns', verdict: 'deny', risk: 'high' } as const

export const denyRules: readonly Rule[] = [
  {
    ...base,
    name: 'recursive-delete',
    reason: 'Recursive or forced deletion is refused: delete single files by name.',
    match: ['rm -rf build', 'find . -delete', 'find . | xargs rm -f', 'find . -exec rm {} +'],
    notMatch: ['rm x', 'git rm x', 'ls -rf'],
    effect: (effect) =>
      effect.does === 'deletes' &&
      (effect.how === 'hands' || (effect.how === undefined && (effect.recursive === true || effect.forced === true))),
  },
  {
    ...base,
    name: 'windows-delete',
    reason: 'Forced deletion is refused.',
    match: ['del /f x', 'rmdir /s x'],
    notMatch: ['rmdir x', 'rmdir /sdcard/x'],
    effect: ({ does }) => does === 'erases',
  },
  {
    ...base,
    name: 'disk-format',
    reason: 'Formatting disks is refused.',
    match: ['mkfs x', 'format c:', 'diskpart'],
    notMatch: ['npm run format src', 'man mkfs', 'format'],
    effect: ({ does }) => does === 'formats',
  },
  {
    ...base,
    name: 'disk-image',
    reason: 'dd is refused: use cp, head or your file tool.',
    match: ['dd if=a of=b'],
    notMatch: ['echo dd if=a', 'dd --help'],
    effect: ({ does }) => does === 'images',
  },
  {
    ...base,
    name: 'block-device',
    reason: 'Writing to a device is refused.',
    match: ['echo x > /dev/sda', 'cp x /dev/mmcblk0'],
    notMatch: ['echo x > /dev/null', 'cat < /dev/urandom'],
    effect: (effect) =>
      effect.does === 'writes' && !effect.code && (effect.path.values ?? [effect.path.prefix]).some(isDisk),
  },
  {
    ...base,
    name: 'power',
    reason: 'Shutting the device down is refused.',
    match: ['shutdown now', 'sudo reboot', 'init 0'],
    notMatch: ['echo reboot', 'init x'],
    effect: ({ does }) => does === 'power',
  },
  {
    ...base,
    name: 'fork-bomb',
    reason: 'A fork bomb is refused.',
    match: [':(){ :|:& };:'],
    notMatch: ['f() { ls; }; f'],
    command: isForkBomb,
  },
  {
    ...base,
    name: 'sudo',
    reason: 'Running as another user is refused.',
    match: ['sudo ls', 'su -c id', 'rish -c id'],
    notMatch: ['man sudo', 'which sudo'],
    effect: ({ does }) => does === 'privilege',
  },
  {
    ...base,
    name: 'permissions',
    reason: 'Changing permissions or owners is refused.',
    match: ['chmod 777 x', 'chown me x'],
    notMatch: ['echo chmod', 'git update-index --chmod=+x f'],
    effect: ({ does }) => does === 'permits',
  },
  {
    ...base,
    name: 'kill',
    reason: 'Killing processes by force or by name is refused: end your own with kill PID.',
    match: ['pkill x', 'kill -9 123', 'kill -s KILL 5'],
    notMatch: ['kill 123', 'kill -l', 'pgrep x'],
    effect: (effect) => effect.does === 'kills' && effect.hard,
  },
  {
    ...base,
    name: 'ssh',
    reason: 'Remote shells are refused.',
    match: ['ssh user@host', 'telnet host'],
    notMatch: ['ssh-keygen -l -f k', 'ssh -V'],
    effect: (effect) => effect.does === 'network' && effect.shell === true,
  },
  {
    ...base,
    name: 'eval',
    reason: 'eval is refused: write the command out.',
    match: ['eval ls', 'command eval ls'],
    notMatch: ['python eval.py'],
    effect: ({ does }) => does === 'evaluates',
  },
  {
    ...base,
    name: 'source',
    reason: 'Sourcing a script is refused.',
    match: ['source x.sh', '. ./x.sh'],
    notMatch: ['ls .', 'bash x.sh'],
    effect: ({ does }) => does === 'sources',
  },
  {
    ...base,
    name: 'download-to-shell',
    reason: 'Downloading code and running it in one go is refused.',
    match: ['curl x | sh', 'sh -c "curl x | sh"'],
    notMatch: ['curl x | jq .', 'curl -o i.sh x'],
    effect: (effect, { pipedFrom }) =>
      effect.does === 'runs' &&
      effect.what === 'input' &&
      pipedFrom !== null &&
      effectsOf(pipedFrom).some(({ does }) => does === 'network'),
  },
  {
    ...base,
    name: 'npm-global',
    reason: 'Installing for the whole system or user is refused: install inside the project.',
    match: ['npm install -g x', 'pip install --user x', 'yarn global add x'],
    notMatch: ['npm install x', 'npm ls -g'],
    effect: (effect) => effect.does === 'installs' && effect.wide === 'user',
  },
  {
    ...base,
    name: 'system-packages',
    reason: 'Changing system packages is refused.',
    match: ['apt install vim', 'pkg i x', 'pacman -S x'],
    notMatch: ['apt list', 'pkg search x'],
    effect: (effect) => effect.does === 'installs' && effect.wide === 'system',
  },
  {
    ...base,
    name: 'containers',
    reason: 'Running containers is refused.',
    match: ['docker run x', 'docker compose run x'],
    notMatch: ['docker ps', 'docker logs run'],
    effect: ({ does }) => does === 'contains',
  },
  {
    ...base,
    name: 'git-push',
    reason: 'git push is refused: ask the user to push.',
    match: ['git push', 'git -c a=b push --force', 'git force x'],
    notMatch: ['git log push', 'git stash push'],
    effect: ({ does }) => does === 'publishes',
  },
  {
    ...base,
    name: 'command-substitution',
    reason: 'Command substitution is refused: run the inner command by itself first.',
    match: ['echo $(id)', 'x=$(date)'],
    notMatch: ["echo '$(id)'"],
    script: ({ script }) => script.syntax.has('command-substitution'),
  },
  {
    ...base,
    name: 'variable-expansion',
    reason: '${…} is refused: write the value, or $NAME.',
    match: ['echo ${HOME}'],
    notMatch: ['echo $HOME'],
    script: ({ script }) => script.syntax.has('parameter-expansion'),
  },
  {
    ...base,
    name: 'heredoc',
    reason: 'Here-documents are refused: write the file with your file tool.',
    match: ['cat << EOF\nx\nEOF'],
    notMatch: ['cat < file', 'echo $((1 << 2))'],
    script: ({ script }) => script.syntax.has('here-document'),
  },
  {
    ...base,
    name: 'pipe-to-shell',
    reason: 'Piping into a shell or an interpreter is refused: save the script, read it, then run it.',
    match: ['cat x | sudo bash', 'curl x | python3'],
    notMatch: ['cat x | python3 -m json.tool', 'ls | sh x.sh'],
    effect: (effect, { pipedFrom }) => effect.does === 'runs' && effect.what === 'input' && pipedFrom !== null,
  },
  {
    ...base,
    name: 'opaque',
    verdict: 'opaque',
    risk: 'medium',
    reason: 'It cannot be known what this would run. Write the commands out plainly.',
    match: ['$X -rf y', "$'rm' x"],
    notMatch: ['ls -l', 'cd src && npm test'],
    script: ({ script }) => script.opaque.length > 0,
  },
]

/** What the deny list says of a script. An allow pattern exempts the very commands that it matches, never the chain. */
export function denyPatterns(scene: Scene): Finding[] {
  const { settings, script } = scene
  const custom = customFindings(scene)
  if (!settings.enable_deny_patterns) return custom
  const judged = script.commands.filter((command) => !isExempt(command, script, settings.custom_allow_patterns))
  // syntax belongs to the whole: it is exempt where every command is
  const rules = judged.length > 0 || script.commands.length === 0 ? denyRules : []
  return [...speak(rules, scene, judged), ...custom]
}
