import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startService } from '../../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-flavour-'))
t.teardown(() => rmSync(folder, { recursive: true }))
symlinkSync('/usr/bin/bash', join(folder, 'sh'))

/** [shell, verdicts of the default preset on scripts that shells read differently]; a script that the shell rejects needs no approval. */
const shells: [string, Record<string, 'allow' | 'ask'>][] = [
  [
    '/usr/bin/bash',
    {
      '[[ -f /etc/passwd ]] && echo out': 'allow',
      'cat <(echo out)': 'allow',
      "eval '[[ a ]]'": 'allow',
      // the `sh` on PATH is dash here
      "sh -c '[[ a ]]'": 'ask',
      "dash -c '[[ a ]]'": 'ask',
      '!(echo out) || :': 'allow',
    },
  ],
  [
    join(folder, 'sh'),
    { '[[ -f /etc/passwd ]] && echo out': 'allow', "sh -c '[[ a ]]'": 'allow', "busybox sh -c '[[ a ]]'": 'ask' },
  ],
  [
    '/usr/bin/dash',
    { '[[ -f x ]]': 'ask', 'a=(1 2)': 'allow', "bash -c '[[ a ]]'": 'allow', '!(echo out) || :': 'allow' },
  ],
  ['/usr/bin/mksh', { '[[ -f x ]]': 'ask', '!(echo out)': 'ask', 'cat <(ls)': 'allow' }],
]

for (const [shell, scripts] of shells) {
  t.test(`the guards recognise the shell ${shell}`, { skip: !existsSync(shell) && 'it is not here' }, async (t) => {
    const service = await startService({ env: { SHELLPHONE_SHELL: shell, SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0' } })
    t.teardown(() => service.stop())
    for (const [command, verdict] of Object.entries(scripts)) {
      const answer = await service.post('/policy/check', { command })
      t.match(await answer.json(), { verdict }, command)
      if (verdict === 'ask' || !command.includes('echo')) continue
      t.match(await service.exec({ command }), { status: 'completed', output: 'out\n' }, `${command} runs`)
    }
  })
}
