/** test/server/rights.test.ts with every holder in every row. */
import t from 'tap'
import { all } from '../server/rights/holders.ts'
import { eachRight } from '../server/rights/each-right.ts'

await eachRight(t, all.length)
