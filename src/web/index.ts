/**
 * web: what a person sees in a browser, served at /. Code of the browser alone: esbuild bundles it into dist/page (scripts/build/build-page.mjs).
 * To add a view, write its file in views/ and a row in views.ts; its texts go to words.ts.
 */
import { start } from './main.tsx'

start()
