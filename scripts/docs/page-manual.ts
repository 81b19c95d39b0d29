import { words } from '../../src/web/words.ts'

/** The part of the manual about one view of the browser page, to which the view links. */
interface ViewManual {
  /** its name in the address of the page */
  view: keyof typeof words.views
  text: string
  /** the routes that it uses, as openapi.yaml names them */
  routes: string[]
  /** the subcommands that do the same */
  commands: string[]
}

const rows: ViewManual[] = [
  {
    view: 'run',
    text: 'While you type, the page says whether the command will run, needs approval or is denied. Enter runs it, Shift+Enter starts a new line, ↑ shows earlier commands. Interrupt sends SIGINT, as Ctrl+C does; Cancel ends the whole process tree.',
    routes: ['POST /exec'],
    commands: ['run'],
  },
  {
    view: 'runs',
    text: 'A run shows its output with line numbers, times (of lines that arrive while you watch; the browser tab keeps them) and find, and why it could run.',
    routes: ['GET /runs'],
    commands: ['ps', 'history', 'logs'],
  },
  {
    view: 'approvals',
    text: 'Commands that wait for your answer; without one, they are denied. “Always” saves it for exactly the same request.',
    routes: ['GET /approvals'],
    commands: ['approvals'],
  },
  {
    view: 'phone',
    text: 'Battery, network, storage and the load of the last ten minutes.',
    routes: ['GET /phone'],
    commands: [],
  },
  {
    view: 'files',
    text: 'The directories of the phone: download a file, upload files, open a path. The policy judges each as the command that does the same.',
    routes: ['GET /files', 'PUT /files'],
    commands: ['cp'],
  },
  {
    view: 'phones',
    text: 'On a control plane: its phones, which of them are online, and what they do. The address of a view names its phone.',
    routes: [],
    commands: ['fleet phones'],
  },
  {
    view: 'jobs',
    text: 'On a control plane: runs a command on several phones and shows what became of it on each. An offline phone gets it when it returns in time.',
    routes: [],
    commands: ['fleet exec'],
  },
  {
    view: 'terminal',
    text: 'A shell on the phone. It keeps running when you leave.',
    routes: ['GET /ws'],
    commands: ['shell'],
  },
  {
    view: 'doctor',
    text: 'Problems of this phone, and how to fix them.',
    routes: ['GET /doctor'],
    commands: ['doctor'],
  },
  {
    view: 'rules',
    text: 'Saved approvals: what each covers, by whom, until when.',
    routes: ['DELETE /approvals/rules/{id}'],
    commands: [],
  },
  {
    view: 'policy',
    text: 'What each guard decides about a command, also with other settings. Nothing is run.',
    routes: ['POST /policy/check'],
    commands: ['check'],
  },
  {
    view: 'settings',
    text: 'Each setting with its value, default and source. Change them in config.yaml.',
    routes: ['GET /settings'],
    commands: ['config'],
  },
  {
    view: 'access',
    text: 'Pair another device, create tokens with only the rights that an agent needs, revoke those that nobody uses.',
    routes: ['GET /tokens', 'POST /pairing'],
    commands: ['pair', 'token'],
  },
  {
    view: 'access-log',
    text: 'Who paired, lost access or answered approvals.',
    routes: ['GET /access-log'],
    commands: [],
  },
]

/** The parts about the views of the page, as HTML; `linkTo` makes the link to a route. */
export const pageManual = (linkTo: (route: string) => string): string =>
  ['<h2>The page</h2>', ...rows.map((row) => toSection(row, linkTo))].join('\n')

function toSection({ view, text, routes, commands }: ViewManual, linkTo: (route: string) => string): string {
  const more = [...commands.map((name) => `<code>shellphone ${name}</code>`), ...routes.map(linkTo)].join(' · ')
  return `<section id="view-${view}"><h3>${words.views[view]}</h3><p>${text} ${more}</p></section>`
}
