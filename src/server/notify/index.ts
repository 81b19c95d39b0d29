/**
 * notify: shows approval requests to people: on the phone's screen through Termux:API, and elsewhere through the owner's own program or a
 * POST. The caller passes in the pending approvals and the function that runs a program.
 *
 *     open-notifier.ts          checks that Termux:API is installed
 *        notifier.ts            makes at most two calls at once, until the screen shows the pending approvals
 *          ├ screen.ts           tracks the notifications that may be on the screen
 *          ├ notification.ts      converts an approval request to arguments of termux-notification
 *          ├ buttons.ts           writes the answers of its buttons to private files
 *          └ circuit-breaker.ts   pauses calls to a tool that does not respond
 *     elsewhere.ts              notifies of each approval request once, with one call at a time
 *        ways.ts                 the channels approval_command and approval_url
 */
export { createButtons } from './buttons.ts'
export { combineNotifiers, createRemoteNotifier, type NotifyChannel } from './elsewhere.ts'
export { approvalText, isComplete } from './notification.ts'
export { createNotifier, type Notifier } from './notifier.ts'
export { openNotifier } from './open-notifier.ts'
export { commandChannel, urlChannel } from './ways.ts'
