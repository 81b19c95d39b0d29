import { numberAbove, type Subcommands, usualCodes } from '../parser/index.ts'
import { locateService, remotesFile } from './locate-service.ts'
import { json, on, rights } from './shared-options.ts'

const client = () => import('../commands/index.ts')

/** Subcommands for tokens, pairing and the paired phones. */
export const accessSubcommands: Subcommands = {
  token: {
    group: 'Devices and access',
    meaning: 'List, create and revoke tokens, one for each agent and browser',
    defaultVerb: 'list',
    verbs: {
      list: { meaning: 'List tokens with their rights and their last use', alsoCalled: ['ls'] },
      create: { operands: 'NAME', meaning: 'Create a token, and print it once', options: rights },
      rotate: {
        operands: 'NAME',
        completes: 'tokens',
        meaning: "Replace the secret of a token; the name owner stands for the owner's token",
      },
      revoke: {
        alsoCalled: ['rm', 'delete', 'remove'],
        operands: '[NAME]',
        completes: 'tokens',
        meaning: 'Revoke a token, or all unused ones with --unused-days; this closes their connections',
        options: {
          'unused-days': {
            value: 'DAYS',
            values: numberAbove(0, 'a number of days'),
            meaning: 'Revoke every token that was not used for this long',
          },
        },
      },
    },
    options: { ...json, ...on },
    settings: 'place',
    examples: [
      'shellphone token create codex --policy supervised',
      'shellphone token revoke codex',
      'shellphone token revoke --unused-days 30',
      'shellphone token rotate owner',
    ],
    exitCodes: usualCodes,
    run: async ({ operands, options, flags }) =>
      (await client()).token(await locateService(flags, options), operands, options),
  },
  pair: {
    group: 'Devices and access',
    meaning: 'Show a QR code and a link that give one new device a token within five minutes',
    options: { ...rights, ...json, ...on },
    settings: 'place',
    examples: ['shellphone pair', 'shellphone pair --approves all'],
    exitCodes: usualCodes,
    run: async ({ options, flags }) => (await client()).pair(await locateService(flags, options), options),
  },
  remote: {
    group: 'Devices and access',
    meaning: 'List, add and remove the phones that this machine is paired with, for --on NAME',
    defaultVerb: 'list',
    verbs: {
      list: { meaning: 'List paired phones' },
      add: {
        operands: "NAME 'LINK'",
        meaning: 'Pair this machine with a phone, with the link that shellphone pair printed there',
      },
      remove: {
        operands: 'NAME',
        completes: 'remotes',
        meaning: 'Forget a phone; its token stays valid until you revoke it there',
      },
    },
    options: json,
    settings: 'none',
    examples: ["shellphone remote add phone 'https://192.168.1.20:8029/#pair=7QK2-9XMD&key=…'"],
    exitCodes: usualCodes,
    run: async ({ operands, options }) => (await client()).remote(remotesFile(), operands, options.has('json')),
  },
  open: {
    group: 'Devices and access',
    meaning: "Open the page in this machine's browser, already paired",
    options: { print: { meaning: 'Print the link instead; it works once, within five minutes' }, ...on },
    settings: 'place',
    examples: ['shellphone open', 'shellphone open --print --on phone'],
    exitCodes: usualCodes,
    run: async ({ options, flags }) => (await client()).open(await locateService(flags, options), options),
  },
}
