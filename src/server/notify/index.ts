/**
 * notify: brings questions to people: to the phone's screen, by Termux:API, and elsewhere, by a program of the owner's or a POST. It
 * knows neither who asks nor how a tool is run: both are handed in.
 *
 *     open-notifier.ts          is there a Termux:API at all?
 *        notifier.ts            two calls at once, until the screen is as the questions are
 *          ├ screen.ts           what may be shown
 *          ├ notification.ts      one question as arguments of termux-notification
 *          ├ buttons.ts           its answers, in private files
 *          └ circuit-breaker.ts   leaves alone what does not answer
 *     elsewhere.ts              each question once, one call at a time
 *        ways.ts                 approval_command, approval_url
 */
export { createButtons } from './buttons.ts'
export { notifyElsewhere as tellElsewhere, together, type NotifyChannel as Way } from './elsewhere.ts'
export { questionText, showsStdin } from './notification.ts'
export { createNotifier, type Notifier } from './notifier.ts'
export { openNotifier } from './open-notifier.ts'
export { commandWay, urlWay } from './ways.ts'
