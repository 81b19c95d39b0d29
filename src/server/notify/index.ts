/**
 * notify: shows approval requests to people, on the phone's screen through Termux:API and elsewhere through a program of the owner's or
 * a POST. It knows neither which run needs approval nor how a tool is run: both are passed in.
 *
 *     open-notifier.ts          checks that Termux:API is installed
 *        notifier.ts            two calls at once, until the screen shows the pending approvals
 *          ├ screen.ts           what may be on the screen
 *          ├ notification.ts      one approval request as arguments of termux-notification
 *          ├ buttons.ts           its answers, in private files
 *          └ circuit-breaker.ts   pauses calls to a tool that does not respond
 *     elsewhere.ts              each approval request once, one call at a time
 *        ways.ts                 approval_command, approval_url
 */
export { createButtons } from './buttons.ts'
export { combineNotifiers, createRemoteNotifier, type NotifyChannel } from './elsewhere.ts'
export { approvalText, showsStdin } from './notification.ts'
export { createNotifier, type Notifier } from './notifier.ts'
export { openNotifier } from './open-notifier.ts'
export { commandChannel, urlChannel } from './ways.ts'
