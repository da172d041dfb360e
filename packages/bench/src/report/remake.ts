// pnpm bench:plots [folder]: tables and plots from figures that were saved, without measuring again.
import { scenarios } from '../scenarios/scenarios.js'
import { remakeReport } from './save.js'

await remakeReport(process.argv[2] ?? 'docs/performance', scenarios)
