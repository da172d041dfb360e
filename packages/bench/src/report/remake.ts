// pnpm bench:plots [folder [document]]: regenerates tables and plots from saved figures, and the tables of a document,
// without measuring again.
import { scenarios } from '../scenarios/scenarios.js'
import { updateDocument } from './update-document.js'
import { remakeReport } from './save.js'

const given = process.argv.slice(2)
const [folder = '', document] = given.length > 0 ? given : ['docs/performance', 'docs/performance.md']

await remakeReport(folder, scenarios)
if (document !== undefined) await updateDocument(document, folder, scenarios)
