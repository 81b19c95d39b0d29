/** What each row of src/server/store/redact.ts hides and what it leaves: text → stored text. */
const GONE = '[redacted]'

export const secrets: Record<string, { examples: [string, string][]; notMatch: string[] }> = {
  'authorization-header': {
    examples: [["curl -H 'Authorization: Bearer abc.def-123' x", `curl -H 'Authorization: Bearer ${GONE}' x`]],
    notMatch: ['grep authorization README.md'],
  },
  'named-secret': {
    examples: [
      ['GITHUB_TOKEN=abc123def git push', `GITHUB_TOKEN=${GONE} git push`],
      [`curl -d '{"password": "hunter22"}' x`, `curl -d '{"password": "${GONE}"}' x`],
      ['mysql --password=hunter22 db', `mysql --password=${GONE} db`],
      ['curl "https://x/y?api_key=abcdef&z=1"', `curl "https://x/y?api_key=${GONE}&z=1"`],
    ],
    notMatch: ['TOKEN=$(cat file) run', 'TOKEN="$OTHER" run', 'cat secret.txt', 'passwd root'],
  },
  'secret-flag': {
    examples: [['tool --password hunter22 go', `tool --password ${GONE} go`]],
    notMatch: ['tool --token --verbose', 'tool --password "$P"'],
  },
  'user-and-password-flag': {
    examples: [['curl -u me:hunter22 https://x', `curl -u me:${GONE} https://x`]],
    notMatch: ['docker run -u 1000:10 x'],
  },
  'password-glued-to-flag': {
    examples: [
      ['mysql -u root -phunter22 shop', `mysql -u root -p${GONE} shop`],
      ["mysqldump -p'hunter22' shop", `mysqldump -p'${GONE}' shop`],
      ['mariadb-admin -phunter22 ping', `mariadb-admin -p${GONE} ping`],
      ['sshpass -p hunter22 ssh me@host', `sshpass -p ${GONE} ssh me@host`],
      ['7z x -phunter22 a.7z', `7z x -p${GONE} a.7z`],
    ],
    notMatch: ['mysql -p shop', 'mysql -p"$P" shop', 'mkdir -pv a/b; ssh -p2222 host', 'mysql shop; ssh -p2222 host'],
  },
  'password-in-url': {
    examples: [['git clone https://me:hunter22@host/x', `git clone https://me:${GONE}@host/x`]],
    notMatch: ['curl http://localhost:8029/@x', 'ssh://me@host:22/'],
  },
  'known-prefix': {
    examples: [
      ['export K=sk-proj-abcdefghijklmnop1234', `export K=${GONE}`],
      ['echo ghp_abcdefghijklmnopqrstuvwxyz012345 | gh', `echo ${GONE} | gh`],
      ['aws AKIAIOSFODNN7EXAMPLE', `aws ${GONE}`],
    ],
    notMatch: ['ls sk-short', 'git log ghp_x'],
  },
  'json-web-token': {
    examples: [['x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_123 y', `x ${GONE} y`]],
    notMatch: ['eyJhbGci'],
  },
  'private-key': {
    examples: [
      [
        'echo "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"',
        `echo "-----BEGIN RSA PRIVATE KEY-----${GONE}-----END RSA PRIVATE KEY-----"`,
      ],
    ],
    notMatch: ['-----BEGIN CERTIFICATE-----\nMIIE\n'],
  },
}
