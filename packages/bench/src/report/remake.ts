// pnpm bench:plots [folder [page]]: tables and plots from figures that were saved, and the tables of a page, without
// measuring again.
import { scenarios } from '../scenarios/scenarios.js'
import { remakePage } from './page.js'
import { remakeReport } from './save.js'

const given = process.argv.slice(2)
const [folder = '', page] = given.length > 0 ? given : ['docs/performance', 'docs/performance.md']

await remakeReport(folder, scenarios)
if (page !== undefined) await remakePage(page, folder, scenarios)
