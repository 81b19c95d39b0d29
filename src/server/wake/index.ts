/**
 * wake: notifies agents that their runs have ended or need approval, so that they need not poll.
 *
 *     run-news.ts       the next background run of a token that has ended or needs approval, for exec_wait without an id
 *     event-feed.ts     the events of runs, live and from the history, for GET /events
 */
export { followEvents, toPosition, toTypes } from './event-feed.ts'
export { createRunNews, type RunNews } from './run-news.ts'
