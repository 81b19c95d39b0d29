/**
 * wake: notifies agents that their runs have ended or need approval, so that they need not poll.
 *
 *     run-news.ts       the next background run of a token that has ended or needs approval, for exec_wait without an id
 *     event-feed.ts     the events of runs, live and from the history, for GET /events
 *     webhooks.ts       the webhooks of tokens: webhook-rows.ts stores them, delivery-log.ts the events that wait
 *     send-deliveries.ts     sends them: sign-webhook.ts signs, guarded-post.ts connects only to public addresses
 */
export { followEvents, toPosition, toTypes } from './event-feed.ts'
export { createRunNews, type RunNews } from './run-news.ts'
export { guardedPost } from './guarded-post.ts'
export { createWebhooks, type Webhooks } from './webhooks.ts'
