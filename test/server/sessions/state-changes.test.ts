import t from 'tap'
import { changesNoState } from '../../../src/server/policy/index.ts'

t.test('proves that a script can change no state', async (t) => {
  for (const script of [
    'ls',
    'make -j4 && ls -l "$HOME" | grep \'x y\' > out.txt',
    'A=1 env',
    './a.sh; git log &',
    '/bin/ls *.c',
  ]) {
    t.ok(changesNoState(script), script)
  }
  for (const script of [
    ...[
      'cd /',
      'ls; cd /',
      'ls && cd /',
      'A=1',
      'export A=1',
      'eval ls',
      '. ./x',
      '$x',
      '"$x" y',
      'l$x',
      'exec ls',
      'test a',
      '[ a ]',
    ],
    ...[
      'ls ${A:=1}',
      'ls $((A=1))',
      'ls $(true)',
      'ls `true`',
      "ls $'a\\'; cd /; '",
      'ls {a,b}',
      'A+=1 ls',
      'A=(1) ls',
      'ls {A}>x',
    ],
    ...[
      'f() { ls; }',
      'if true; then cd /; fi',
      '( cd / )',
      '{ cd /; }',
      'ls <<E\n${A:=1}\nE',
      'time cd /',
      '! cd /',
      'ls "',
      'ls )',
      'unset A',
    ],
    ...[
      'alias ls="cd /"\nls',
      'chdir /',
      '\\cd /',
      "'cd' /",
      'command cd /',
      'builtin cd /',
      'printf -v A x',
      'read A < x',
      'trap x EXIT',
    ],
  ]) {
    t.notOk(changesNoState(script), script)
  }
})
