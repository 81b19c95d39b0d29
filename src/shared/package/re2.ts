import { createRequire } from 'node:module'

const load = /* @__PURE__ */ createRequire(import.meta.url)

/**
 * RE2, loaded when the first pattern is compiled: loading takes 5 ms and 1.3 MiB, which a service without patterns saves at every start. In dist/ it
 * is a file of its own, re2js.cjs, because patterns are compiled where nothing can wait for an import.
 */
export const re2 = () => (load('re2js') as typeof import('re2js')).RE2JS
