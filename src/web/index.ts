/**
 * web: the page served at /. It runs only in browsers: scripts/build/build-page.mjs bundles it into dist/page with esbuild.
 * To add a view, write its file in views/, and add a row to views.ts and its strings to words.ts.
 */
import { start } from './main.tsx'

start()
