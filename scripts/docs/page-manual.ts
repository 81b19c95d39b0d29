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
    text: 'While you type, the page says whether the command will run, needs approval or is denied. Enter runs it, Shift+Enter starts a new line, ↑ shows earlier commands. Options sets the directory, the timeout in seconds, a session (the command starts in its directory and with its variables, and passes its own on; if no page shows it for an hour, the service cancels it), the sandbox and whether stdin stays open: then you can send lines, and Close stdin ends the input. What is set applies to every command that you run here; a line below the command field names it until you clear it. Interrupt sends SIGINT, as Ctrl+C does; Signal… sends another signal; Cancel ends the whole process tree. If the connection drops, the output resumes at the exact byte where it stopped. A browser that was closed finds the run under Runs.',
    routes: ['POST /exec'],
    commands: ['run'],
  },
  {
    view: 'runs',
    text: 'Live runs, then ended ones, newest first. Filter by text, status, token, dialect and day; a click on a column sorts the loaded runs. Select live runs to cancel them together; “Select all” leaves out terminals and pending approvals. “denied” is followed by who denied it: by policy, by a person, or no answer in time. File operations are hidden until you select them. A run shows its output with line numbers, times (of lines that arrive while you watch; the browser tab keeps them) and find, and why it could run. stdout and stderr arrive on two pipes, so the order between them is approximate; lines of one stream are always in order. Outside of the page, <code>shellphone logs ID -f</code> prints the output from its first byte and follows it; a program continues at byte N with <code>?offset=N</code>.',
    routes: ['GET /runs', 'GET /runs/{id}/output'],
    commands: ['ps', 'history', 'logs'],
  },
  {
    view: 'approvals',
    text: 'Commands that wait for your answer; without one, they are denied when the time shown is over. Each card shows the whole command with invisible characters spelled out, the risk, the rule and its reason, the directory, the sandbox and who asks. Approve once runs it now. “Always” saves the answer for exactly the same request, and shows first what it saves and until when. What makes a risk high is underlined in the command. A high risk needs a press of one second, or the name of the program that makes it risky. Answered cards stay in place until you hide them or open the view again. A long command must be scrolled to its end first.',
    routes: ['GET /approvals'],
    commands: ['approvals'],
  },
  {
    view: 'phone',
    text: 'Battery, network, storage and the load of the last ten minutes. Running and Waiting are exact at any time; Started counts in steps of 5 s; Memory and Delay are measured only while commands run and while somebody looks, so their lines have gaps. Move the pointer over a line, or use the slider, for the values at a time. Suspended means that Android stopped the service for that time.',
    routes: ['GET /phone'],
    commands: [],
  },
  {
    view: 'files',
    text: 'The directories of the phone: open a file to see its start or its image, download it, upload files, create a directory, delete a file, a link or an empty directory. A click on a column, or the list above on a phone, sorts by name, time or size; files whose names start with a dot are hidden until you select them. The policy judges and records each as the command that does the same. An upload never replaces a file without asking: Keep both uploads it with a number in its name, Replace the file overwrites, Dismiss does nothing. Each transfer names its target on the phone.',
    routes: ['GET /files', 'PUT /files'],
    commands: ['cp'],
  },
  {
    view: 'phones',
    text: 'On a control plane: its phones, which of them are online, and what they do. Online means that the broker has a connection to the phone; a phone whose network fails without a word counts as online for up to 150 s. Last contact is the time of the last message. “two devices use this name” means that the phone gets no commands until a person settles it with <code>shellphone fleet phones --settle NAME</code>. The address of a view names its phone.',
    routes: [],
    commands: ['fleet phones'],
  },
  {
    view: 'jobs',
    text: 'On a control plane: runs a command on several phones and shows what became of it on each. An offline phone gets it when it returns in time. The states: waiting for the phone (offline), sent, accepted (the run is queued), waiting for approval (if your token can answer it; Review opens it), running, ended, refused (the phone rejected it), unknown (the phone lost its record), canceled, not started in time. The list shows the 20 newest jobs that your token can see.',
    routes: [],
    commands: ['fleet exec'],
  },
  {
    view: 'terminal',
    text: 'A shell on the phone. It keeps running when you leave, and you can return to it, also from another browser with the same token. On a touch screen, a bar offers the keys that its keyboard lacks. Paste with the keyboard or a long press. End closes the shell with everything that it started.',
    routes: ['GET /ws'],
    commands: ['shell'],
  },
  {
    view: 'doctor',
    text: 'Problems of this phone, and how to fix them. Each row is ok, a warning, an error, or skipped because it does not apply to this machine; a problem says why it matters and what to do. Checking takes up to 15 seconds.',
    routes: ['GET /doctor'],
    commands: ['doctor'],
  },
  {
    view: 'rules',
    text: 'Saved approvals: what each covers, by whom, until when. A saved approval approves only exactly the same request: the same command, directory, environment, sandbox and token. Revoke takes effect at once.',
    routes: ['DELETE /approvals/rules/{id}'],
    commands: [],
  },
  {
    view: 'policy',
    text: 'What each guard decides about a command, also with other settings. Nothing is run. The strictest guard decides: deny before ask before allow. Preset, dialect and lines of config.yaml apply only to this check; Copy as lines makes them permanent when you paste them into config.yaml.',
    routes: ['POST /policy/check'],
    commands: ['check'],
  },
  {
    view: 'sessions',
    text: 'What one command passes on to the next: its directory and its exported variables. The view lists the sessions of all tokens, if this browser reads all runs, and otherwise its own, with the names of their variables, never their values. This browser ends only its own. A session expires when no command has used it for 24 hours. Runs of this session lists its commands. End the session deletes it at once; a command that runs in it continues, and its state is not kept. A run shows its session, what it changed there, and why something was not kept. To continue a session, run the next command with the same name: under Options here, with <code>shellphone run --session NAME</code>, or with the field <code>session</code>. A session does not depend on a connection: a run that lost its reader is read again under Runs.',
    routes: ['GET /sessions', 'DELETE /sessions/{name}'],
    commands: ['run', 'sessions'],
  },
  {
    view: 'webhooks',
    text: 'Where the service sends events of runs: the webhooks of all tokens, if this browser reads all runs, and otherwise its own, each with its last 20 deliveries since the service started, the time of the last try, and its error. A delivery is delivered (a response of 2xx), waiting for its next try, or failed after seven tries. “ended by the receiver” means that the receiver responded with 410: nothing is sent until a program puts the webhook again. This browser deletes only its own webhooks. A control plane does not have this view.',
    routes: ['GET /webhooks', 'PUT /webhooks/{name}', 'DELETE /webhooks/{name}'],
    commands: [],
  },
  {
    view: 'settings',
    text: 'The settings in groups; open one, or search. Each setting has its value, default and source: the default, the preset, config.yaml, the environment or a flag. The page cannot change them, because a stolen token could then weaken the policy: change them with <code>shellphone config set NAME VALUE</code>, or in config.yaml. Each setting says whether a change takes effect at once or after a restart.',
    routes: ['GET /settings'],
    commands: ['config'],
  },
  {
    view: 'access',
    text: 'Pair another device, create tokens with only the rights that an agent needs, revoke those that nobody uses. The tags of a token: what it approves (nothing, its own commands, everything), which runs it reads, whether it opens terminals, its additional preset, and the addresses from which it may connect. A pairing code is valid once. Sign out this browser revokes its own token.',
    routes: ['GET /tokens', 'POST /pairing'],
    commands: ['pair', 'token'],
  },
  {
    view: 'access-log',
    text: 'Who paired, lost access or answered approvals, newest first: the last 1000 events. Wrong tokens and wrong codes from one address are counted in one row. Opening a terminal counts as an approval by the person who opens it.',
    routes: ['GET /access-log'],
    commands: [],
  },
]

/** The parts about the views of the page, as HTML; `linkTo` makes the link to a route. */
export const pageSections = (linkTo: (route: string) => string): string[] => rows.map((row) => toSection(row, linkTo))

function toSection({ view, text, routes, commands }: ViewManual, linkTo: (route: string) => string): string {
  const more = [...commands.map((name) => `<code>shellphone ${name}</code>`), ...routes.map(linkTo)].join(' · ')
  return `<section id="view-${view}"><h3>${words.views[view]}</h3><p>${text} ${more}</p><p><a href="/#/${view}">Open ${words.views[view]}</a></p></section>`
}
