import { sidesOf, type PeerCycles } from '../../src/index.js'
import { ms } from './print-table.js'

/** How many cycles a load makes. HOLDFAST_INTEROP_CYCLES asks for fewer where time is short. */
export const wantedCycles = Number(process.env['HOLDFAST_INTEROP_CYCLES'] || 20_000)

/** What each side got of a run and how long it waited for it, as rows of a table; waits in ms. */
export const rowsOf = (run: readonly PeerCycles[]): Record<string, string | number>[] =>
  [...sidesOf(run).entries()].map(([side, { cycles, share, waits }]) => ({
    side,
    cycles,
    'share %': ms(100 * share),
    median: ms(waits.median),
    p99: ms(waits.p99),
    max: ms(waits.max),
  }))
