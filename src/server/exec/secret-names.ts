/** A group of similar environment variable names, and whether commands get them. The first row that matches a name decides. */
interface NameRow {
  names: RegExp
  verdict: 'keep' | 'withhold'
  reason: string
  match: string[]
  notMatch: string[]
}

/** Names that the filtered environment drops, and names that it keeps although they look like secrets. The owner can keep more. */
export const nameRows: NameRow[] = [
  {
    names: /^(https?|ftp|all|no|rsync)_proxy$/i,
    verdict: 'keep',
    reason: 'may contain a password, but without it no program behind a proxy reaches the network',
    match: ['HTTPS_PROXY', 'http_proxy', 'ALL_PROXY', 'NO_PROXY'],
    notMatch: ['PROXY_PASSWORD', 'HTTPS_PROXY_AUTH'],
  },
  {
    names: /^(SSH_(AGENT_PID|CONNECTION|CLIENT|TTY)|GPG_TTY|GIT_SSH|GIT_SSH_VARIANT)$/,
    verdict: 'keep',
    reason: 'names a process, an address, a terminal or a program, none of which grants access',
    match: ['SSH_AGENT_PID', 'SSH_CONNECTION', 'GPG_TTY', 'GIT_SSH'],
    notMatch: ['SSH_AUTH_SOCK', 'GIT_SSH_COMMAND'],
  },
  {
    names: /^(XAUTHORITY|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_(RUNTIME_DIR|SESSION_[A-Z]+))$/,
    verdict: 'keep',
    reason: 'the session on this machine; programs need it to open a window, and it gives no access elsewhere',
    match: ['XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'],
    notMatch: ['X_AUTH'],
  },
  {
    names:
      /^(AWS_(DEFAULT_)?(PROFILE|REGION)|CLOUDSDK_CORE_PROJECT|VAULT_ADDR|KUBE_CONTEXT|DOCKER_HOST|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE))$/,
    verdict: 'keep',
    reason: 'names an account, a location or an author; its secret is withheld separately',
    match: ['AWS_PROFILE', 'AWS_DEFAULT_REGION', 'VAULT_ADDR', 'GIT_AUTHOR_NAME'],
    notMatch: ['AWS_SECRET_ACCESS_KEY', 'VAULT_TOKEN'],
  },
  {
    names:
      /TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|PASSCODE|(^|_)PASS$|SSHPASS|_PWD$|CREDENTIAL|_CREDS?$|BEARER|COOKIE|JWT|MNEMONIC|_(OTP|PIN|PAT|PEM)$/i,
    verdict: 'withhold',
    reason: 'the name indicates a secret',
    match: [
      'GITHUB_TOKEN',
      'DB_PASSWORD',
      'RCLONE_CONFIG_PASS',
      'SSHPASS',
      'MYSQL_PWD',
      'AWS_CREDS',
      'GH_PAT',
      'TLS_PEM',
    ],
    notMatch: ['PWD', 'OLDPWD', 'COMPASS', 'PATH', 'SHOPPING'],
  },
  {
    names: /API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|SESSION_?KEY|SIGNING_?KEY|_KEYS?$|^KEYS?$/i,
    verdict: 'withhold',
    reason: 'the name indicates a key',
    match: ['OPENAI_API_KEY', 'OPENAI_KEY', 'APIKEY', 'AWS_ACCESS_KEY_ID', 'KEY'],
    notMatch: ['KEYBOARD', 'KEYMAP'],
  },
  {
    names: /(^|_)AUTH(_|$)|AUTHORIZATION|ASKPASS|GPG_AGENT_INFO/i,
    verdict: 'withhold',
    reason: 'holds credentials, or gives any process access to an agent or a password program that holds them',
    match: ['SSH_AUTH_SOCK', 'NPM_CONFIG__AUTH', 'DOCKER_AUTH_CONFIG', 'AUTH_HEADER', 'SSH_ASKPASS', 'GPG_AGENT_INFO'],
    notMatch: ['AUTHOR', 'GIT_AUTHOR_EMAIL', 'SSH_AGENT_PID'],
  },
  {
    names:
      /_DSN$|CONNECTION_?STRING|DATABASE_UR[IL]|(^|_)(MONGO(DB)?|REDIS|VALKEY|POSTGRES(QL)?|PG|MYSQL|MARIADB|MSSQL|AMQP|RABBITMQ|CLICKHOUSE|ELASTIC(SEARCH)?|KAFKA|NATS|SMTP|LDAP|DB|JDBC|BROKER)_UR[IL]$|INDEX_URL$/i,
    verdict: 'withhold',
    reason: 'holds an address that usually contains a user name and a password',
    match: ['MONGO_URI', 'MONGODB_URL', 'REDIS_URL', 'DATABASE_URL', 'SENTRY_DSN', 'PIP_EXTRA_INDEX_URL', 'APP_DB_URL'],
    notMatch: ['HOMEPAGE_URL', 'BASE_URL', 'URI', 'GIT_URL'],
  },
  {
    names: /WEBHOOK(S|_UR[IL]S?)?$/i,
    verdict: 'withhold',
    reason: 'holds an address where anyone who knows it can post',
    match: ['SLACK_WEBHOOK_URL', 'DISCORD_WEBHOOK', 'WEBHOOK_URL'],
    notMatch: ['WEBHOOK_PORT', 'WEBHOOK_TIMEOUT'],
  },
  {
    names:
      /^(KUBECONFIG|NETRC|WGETRC|CURL_HOME|PGPASSFILE|PGSERVICEFILE|MYSQL_HOME|GNUPGHOME|DOCKER_CONFIG|AZURE_CONFIG_DIR|CLOUDSDK_CONFIG|AWS_CONFIG_FILE|BOTO_CONFIG|RCLONE_CONFIG|GH_CONFIG_DIR|NPM_CONFIG_USERCONFIG|PIP_CONFIG_FILE)$/,
    verdict: 'withhold',
    reason: 'names a file of passwords or keys with which programs log in',
    match: ['KUBECONFIG', 'NETRC', 'GNUPGHOME', 'DOCKER_CONFIG', 'PGPASSFILE'],
    notMatch: ['XDG_CONFIG_HOME', 'GIT_CONFIG_NOSYSTEM', 'KUBE_CONTEXT'],
  },
  {
    names: /^GIT_(SSH_COMMAND|CONFIG_(COUNT|PARAMETERS|KEY_\d+|VALUE_\d+))$/,
    verdict: 'withhold',
    reason:
      'names the key that git logs in with, or holds a header with a token; git needs all of these variables or none',
    match: ['GIT_SSH_COMMAND', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0', 'GIT_CONFIG_PARAMETERS'],
    notMatch: ['GIT_SSH', 'GIT_DIR', 'GIT_CONFIG_GLOBAL'],
  },
]

/** Returns the row that decides about a name; undefined: the name does not look like a secret. */
export const rowOf = (name: string): NameRow | undefined => nameRows.find(({ names }) => names.test(name))

/** Whether a name looks like a secret, so that its value must not reach the disk. */
export const looksSecret = (name: string): boolean => rowOf(name)?.verdict === 'withhold'
