/** What the workspace guard can say. */
import type { Rule } from './rule.ts'

const base = { guard: 'workspace', verdict: 'deny', risk: 'medium' } as const

export const traversal: Rule = {
  ...base,
  name: 'path-traversal',
  reason: 'A path with .. leaves the workspace.',
  match: [
    'cat ../secret',
    'ls ..',
    'cd .. && ls',
    'ls src/../..',
    'cat --file=../x',
    'cd src; cat ../../x',
    'cat */../../x',
    'cp x ../',
  ],
  notMatch: [
    'cat src/../README.md',
    'cd src && cat ../README.md',
    'git log HEAD~1..HEAD',
    'echo ..',
    'git diff main...dev',
    "grep '../x' src/a.js",
  ],
}
export const outside: Rule = {
  ...base,
  name: 'path-outside',
  reason: 'A path is outside of the workspace.',
  match: [
    'cat /etc/passwd',
    'ls /',
    'cat ~/.ssh/id_rsa',
    'cat $HOME/x',
    'echo x > /tmp/y',
    'find / -name x',
    'gcc -I/usr/local/include x.c',
    'dd of=/tmp/x if=a',
    'curl file:///etc/passwd',
    'curl -d @/etc/passwd x',
    "sh -c 'cat /etc/passwd'",
    'cat /et*/passwd',
    'cat ~',
    'find . -exec cp {} /tmp \\;',
    'x=/etc/passwd; cat "$x"',
    'tar xf a.tgz -C /',
    'git -C / status',
    'ln -s /etc x',
  ],
  notMatch: [
    'ls',
    'cat src/x',
    'ls > /dev/null 2>&1',
    'curl https://example.com/etc/passwd',
    "awk '/x/{print}' f",
    "grep '/api/v1' src",
    "sed 's/a/b/' f",
    'echo /etc/passwd',
    '/usr/bin/ls',
    'am start -n com.x/.Main',
    'git clone git@host:/x/y.git',
  ],
}
export const cwdOutside: Rule = {
  ...base,
  name: 'cwd-outside',
  reason: 'The working directory is outside of the workspace.',
  match: [],
  notMatch: ['ls'],
}
export const unknownPath: Rule = {
  ...base,
  verdict: 'opaque',
  name: 'unknown-path',
  reason: 'It cannot be known which file this would use. Write the path plainly.',
  match: [
    'cat "$UNKNOWN"',
    'cat $(cat list)',
    'eval "$X"',
    'find . | xargs cat | while read f; do cat "$f"; done',
    "python3 -c 'open(input())'",
    'cd "$X" && ls',
    'xargs cat < list',
    'tar xPf a.tar',
  ],
  notMatch: [
    'for f in *.txt; do wc -l "$f"; done',
    'echo "$UNKNOWN"',
    'd=src; ls "$d"',
    "python3 -c 'import json,sys; print(json.load(sys.stdin))'",
    'ls | xargs wc -l',
    'git ls-files | sort | xargs wc -l',
    'kill $PID',
  ],
}

/** In the order of their rows. */
export const workspaceRules: readonly Rule[] = [traversal, outside, cwdOutside, unknownPath]
