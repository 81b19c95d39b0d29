/**
 * wake: notifies agents that their runs have ended or need approval, so that they need not poll.
 *
 *     run-news.ts       the next background run of MCP that has ended or needs approval, for exec_wait without an id
 *     event-feed.ts     the events of runs, live and from the history, for GET /events
 *     webhooks.ts       the webhooks of tokens: webhook-rows.ts stores them, delivery-log.ts the events that wait
 *     subscriptions.ts  the subscriptions of MCP clients, which are webhooks with messages of mcp-event.ts; poll-events.ts reads events for them
 *     send-deliveries.ts     sends them: sign-webhook.ts signs, guarded-post.ts connects only to public addresses
 */
export { followEvents, toPosition, toTypes } from './event-feed.ts'
export { pollEvents } from './poll-events.ts'
export { createRunNews, type RunNews } from './run-news.ts'
export { guardedPost } from './guarded-post.ts'
export type { Subscribed, Subscriptions } from './subscriptions.ts'
export { createWebhooks, type Webhooks } from './webhooks.ts'
