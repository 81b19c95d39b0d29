/** What only a long output needs, in one file that the page loads on demand. */
export { startOfNewest } from './both-positions.ts'
export { numberNewest } from './count-lines.ts'
export { showFirstError } from './first-error.ts'
export { readLine, readPart } from './read-parts.ts'
