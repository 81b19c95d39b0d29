/** The strings of the form that pairs a browser, which load with it. */
export const pairWords = {
  title: 'Pair this browser',
  text: 'This page controls a phone. This browser needs its own token, which you can revoke at any time.',
  phone: 'Phone',
  key: 'Key',
  code: 'Pairing code or token',
  codeHint:
    'On the phone, run `shellphone open` to open this page already paired, or `shellphone pair --approves all --read all --shell` for your own browser. Without these options, the code gives a browser that approves nothing and sees only its own runs. Each new code replaces the one before.',
  name: 'Name of this browser',
  nameHint:
    'Shown in the list of tokens, so that you know which to revoke. Letters, digits, dots, underscores and hyphens.',
  /** browsers show it when a name has another format */
  nameFormat: 'A name has 1 to 64 letters, digits, dots, underscores and hyphens. It starts with a letter or a digit.',
  pair: 'Pair',
  pairing: 'Pairing…',
  wrongToken:
    'This code or link is wrong, used or expired. On the phone, run `shellphone open`, or create a new code as described below.',
  /** for a browser that is paired already */
  again: {
    named: (name: string) => `This browser is already paired as ${name}.`,
    pasted: 'This browser is already paired with a pasted token.',
    text: 'The link that you opened can give it a new token, which replaces the present one.',
    replace: 'Pair with the new link',
    keep: 'Keep the pairing',
    wrong: 'This link is wrong, used or expired, so the pairing is unchanged. Create a new link on the phone.',
  },
} as const
