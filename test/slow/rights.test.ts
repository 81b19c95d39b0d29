/** test/rights.test.ts with every holder in every row. */
import t from 'tap'
import { all } from '../rights/holders.ts'
import { eachRight } from '../rights/each-right.ts'

await eachRight(t, all.length)
