/** How many events the access log keeps; it drops the oldest. Not beside their schema, which the page would load with it. */
export const MAX_ACCESS_EVENTS = 1000
