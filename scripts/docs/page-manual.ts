import { words } from '../../src/web/words.ts'

/** The part of the manual about one view of the browser page, to which the view links. */
interface ViewManual {
  /** its name in the address of the page */
  view: keyof typeof words.views
  /** what it shows, in one or two sentences */
  text: string
  /** what else a person should know, one subject each */
  items: string[]
  /** the routes that it uses, as openapi.yaml names them */
  routes: string[]
  /** the subcommands that do the same */
  commands: string[]
}

const rows: ViewManual[] = [
  {
    view: 'run',
    text: 'Runs a command. While you type, the page says whether the command will run, needs approval or is denied.',
    items: [
      'Enter runs the command, Shift+Enter starts a new line, and ↑ shows earlier commands of this browser.',
      'Options sets the directory, the timeout in seconds, a session, the sandbox, and whether stdin stays open. These options apply to every command that you run here; a line below the command field names them until you clear it.',
      'With a session, the command starts in its directory and with its variables, and passes its own on to the next command. A command that runs in a session is canceled if no page has shown it for an hour; for longer commands, leave Session empty.',
      'With an open stdin, you can send lines: the field for them gets the focus when the command starts. Close stdin ends the input. A command that still runs when you start another stays one click away, after “Still running”.',
      'Interrupt sends SIGINT, as Ctrl+C does. Signal… sends another signal. Cancel kills the whole process tree.',
      'If the connection drops, the output resumes at the exact byte where it stopped. A browser that was closed finds the run under Runs.',
    ],
    routes: ['POST /exec'],
    commands: ['run'],
  },
  {
    view: 'runs',
    text: 'Lists live runs, then ended ones, newest first.',
    items: [
      'Filter by text, status, token, dialect and day. A click on a column sorts the loaded runs. File operations are hidden until you select them.',
      'Select live runs to cancel them together: Shift and a click select those in between. “Select all” leaves out terminals and pending approvals.',
      '“denied” is followed by who denied the run: the policy, a person, or nobody because no answer came in time.',
      'A run shows its output and why it could run. Its output has line numbers, find, and the times of lines that arrive while you watch; only this browser tab stores those times.',
      'Ctrl+F or / opens find: Enter goes to the next match, Shift+Enter to the one before. Addresses that start with http:// or https:// are links.',
      'stdout and stderr arrive on two pipes, so the order between them is approximate. Lines of one stream are always in order.',
      'In a terminal, <code>shellphone logs ID -f</code> prints the output from its first byte and follows it. A program continues at byte N with <code>?offset=N</code>.',
    ],
    routes: ['GET /runs', 'GET /runs/{id}/output'],
    commands: ['ps', 'history', 'logs'],
  },
  {
    view: 'approvals',
    text: 'Shows the commands that wait for your answer. A command without an answer is denied when the time on its card is over.',
    items: [
      'Each card shows the whole command with invisible characters spelled out, the risk, the rule and its reason, the directory, the sandbox and the token. What makes a risk high is underlined in the command.',
      'Approve once runs the command now. “Always” saves the answer for exactly the same request; before that, it shows what it saves and until when.',
      'For a high risk, press for one second, or type the name of the program that makes it risky.',
      'Scroll a long command to its end before you answer.',
      'Answered cards stay in place until you hide them or open the view again.',
    ],
    routes: ['GET /approvals'],
    commands: ['approvals'],
  },
  {
    view: 'phone',
    text: 'Shows the battery, the network, the storage, and the load of the last ten minutes, the last hour or the last 24 hours.',
    items: [
      'For ten minutes, Running and Waiting are exact at any time, and Started counts in steps of 5 s. Memory and Delay are measured while commands run or this view is open: every 5 s, or once a minute if only background runs and terminals run. Their lines have gaps at other times; a dot is a single measurement.',
      'For longer spans, each value covers one minute: the highest number of Running, Waiting and Delay, the sum of Started, and the last value of Memory. The view updates once a minute.',
      'Move the pointer over a line, or use the slider, for the values at a time.',
      'Suspended means that Android stopped the service for that time.',
    ],
    routes: ['GET /phone', 'GET /load'],
    commands: [],
  },
  {
    view: 'files',
    text: 'Lists the directories of the phone. The policy judges and records each operation as the command that does the same.',
    items: [
      'Open a file to see its start or its image. You can download and upload files, create a directory, rename an entry, and delete it.',
      'Rename, or F2 on an entry, turns its name into a field: Enter renames, and Escape cancels. It never replaces another entry. On a narrow screen, the button with three dots opens the actions of an entry.',
      'Deleting a directory deletes everything in it, as the confirmation says.',
      'Select shows a checkbox in each row, to download several files or to delete several entries at once. The confirmation says how many.',
      'If the policy asks, the row says “waiting for approval”: Review opens the request, and Cancel withdraws it.',
      'A click on a column, or the list above it on a phone, sorts by name (directories first), time or size. Files whose names start with a dot are hidden until you select them.',
      'An upload never replaces a file without asking. Keep both uploads it with a number in its name, Replace the file overwrites, and Skip does nothing. If several files of one upload exist, one answer is for all of them; you can also answer one by one.',
      'Each transfer names its target on the phone.',
    ],
    routes: ['GET /files', 'PUT /files'],
    commands: ['cp'],
  },
  {
    view: 'phones',
    text: 'On a control plane: lists its phones, which of them are online, and what they do. The address of a view names its phone.',
    items: [
      'Online means that the broker has a connection to the phone. A phone that loses its network without closing the connection counts as online for up to 150 s.',
      'Last contact is the time of the last message.',
      '“two devices use this name” means that the phone gets no commands until a person settles it with <code>shellphone fleet phones --settle NAME</code>.',
    ],
    routes: [],
    commands: ['fleet phones'],
  },
  {
    view: 'jobs',
    text: 'On a control plane: runs a command on several phones and shows the result of each. An offline phone gets the command when it returns in time.',
    items: [
      'The list shows the 20 newest jobs that your token can see.',
      'Before a command runs: waiting for the phone (offline), sent, accepted (the run is queued), or waiting for approval. If your token can answer, Review opens the request.',
      'After that: running, ended, refused (the phone rejected the command), unknown (the phone lost its record), canceled, or not started in time.',
    ],
    routes: [],
    commands: ['fleet exec'],
  },
  {
    view: 'terminal',
    text: 'Opens a shell on the phone. It keeps running when you leave, and you can return to it, also from another browser with the same token.',
    items: [
      'On a touch screen, a bar offers the keys that its keyboard lacks. Paste with the keyboard or a long press.',
      'The list of open terminals shows when each started and in which directory, how much it has written, and, once you have opened it on this page, its title.',
      'End closes the shell and kills everything that it started.',
    ],
    routes: ['GET /ws'],
    commands: ['shell'],
  },
  {
    view: 'doctor',
    text: 'Lists the problems of this phone, why each matters, and how to fix it. Each row is ok, a warning, an error, or skipped because it does not apply to this machine. Checking takes up to 15 seconds.',
    items: [],
    routes: ['GET /doctor'],
    commands: ['doctor'],
  },
  {
    view: 'rules',
    text: 'Lists saved approvals: what each covers, by whom, and until when. A saved approval approves only exactly the same request: the same command, directory, environment, sandbox and token. Revoke takes effect at once.',
    items: [],
    routes: ['DELETE /approvals/rules/{id}'],
    commands: [],
  },
  {
    view: 'policy',
    text: 'Shows what each guard decides about a command, also with other settings. The command does not run.',
    items: [
      'The strictest guard decides: deny before ask before allow.',
      'Preset, dialect and lines of config.yaml apply only to this check. Copy as lines copies them; paste them into config.yaml to make them permanent.',
    ],
    routes: ['POST /policy/check'],
    commands: ['check'],
  },
  {
    view: 'sessions',
    text: 'A session is what one command passes on to the next: its directory and its exported variables. It expires when no command has used it for 24 hours.',
    items: [
      'The view lists the sessions of all tokens if this browser reads all runs, and otherwise its own. It shows the names of their variables, never their values.',
      'To continue a session, run the next command with the same name: under Options of Run, with <code>shellphone run --session NAME</code>, or with the field <code>session</code>.',
      'End the session deletes it at once; a command that runs in it continues, and its state is not stored. This browser ends only its own sessions.',
      'Runs of this session lists its commands. A run shows its session, what it changed there, and why something was not stored.',
      'A session does not depend on a connection. If you lose the connection to a run, open it again under Runs.',
    ],
    routes: ['GET /sessions', 'DELETE /sessions/{name}'],
    commands: ['run', 'sessions'],
  },
  {
    view: 'webhooks',
    text: 'Shows where the service sends the events of runs: the webhooks of all tokens if this browser reads all runs, and otherwise its own. A control plane does not have this view.',
    items: [
      'Each webhook shows its last 20 deliveries since the service started, the time of the last try, and its error.',
      'A delivery is delivered (a response of 2xx), waiting for its next try, or failed after seven tries.',
      '“ended by the receiver” means that the receiver responded with 410. The service sends nothing more until a program puts the webhook again.',
      'This browser deletes only its own webhooks.',
    ],
    routes: ['GET /webhooks', 'PUT /webhooks/{name}', 'DELETE /webhooks/{name}'],
    commands: [],
  },
  {
    view: 'settings',
    text: 'Shows the settings in groups; open one, or search.',
    items: [
      'Each setting shows its value, its default and its source: the default, the preset, config.yaml, the environment or a flag.',
      'The page cannot change settings, because a stolen token could then weaken the policy. Change them with <code>shellphone config set NAME VALUE</code>, or in config.yaml; each setting says whether a change takes effect at once or after a restart.',
    ],
    routes: ['GET /settings'],
    commands: ['config'],
  },
  {
    view: 'access',
    text: 'Pairs other devices, creates tokens with only the rights that an agent needs, and revokes those that nobody uses.',
    items: [
      'The tags of a token say what it approves (nothing, its own commands, everything), which runs it reads, its access to files, whether it opens terminals, its additional preset, and the addresses from which it may connect.',
      'A pairing code is valid once. A browser that is paired already asks before the new token replaces the one that it has.',
      'Sign out this browser revokes its own token.',
    ],
    routes: ['GET /tokens', 'POST /pairing'],
    commands: ['pair', 'token'],
  },
  {
    view: 'access-log',
    text: 'Shows who paired, lost access or answered approval requests, newest first: the last 1000 events.',
    items: [
      'New events appear within five seconds. The search finds text in every column except the time.',
      'Wrong tokens and wrong codes from one address are counted in one row.',
      'Opening a terminal counts as an approval by the person who opens it.',
    ],
    routes: ['GET /access-log'],
    commands: [],
  },
]

/** The parts about the views of the page, by their titles, as HTML; `linkTo` makes the link to a route. */
export const pageSections = (linkTo: (route: string) => string): PageSection[] =>
  rows.map((row) => ({ id: `view-${row.view}`, title: words.views[row.view], html: toSection(row, linkTo) }))

/** A section of the page of GET /docs. */
export interface PageSection {
  id: string
  title: string
  html: string
}

function toSection({ view, text, items, routes, commands }: ViewManual, linkTo: (route: string) => string): string {
  const more = [...commands.map((name) => `<code>shellphone ${name}</code>`), ...routes.map(linkTo)].join(' · ')
  const list = items.length > 0 ? `<ul>${items.map((item) => `<li>${item}`).join('')}</ul>` : ''
  const also = more === '' ? '' : `<p>The same elsewhere: ${more}</p>`
  return `<section id="view-${view}"><h3>${words.views[view]}</h3><p>${text}</p>${list}${also}<p><a href="/#/${view}">Open ${words.views[view]}</a></p></section>`
}
