import { sidesOf, type PeerCycles } from '../../src/index.js'
import { ms } from './print-table.js'

/** How many cycles a load makes. HOLDFAST_INTEROP_CYCLES sets a smaller number for short runs. */
export const wantedCycles = Number(process.env['HOLDFAST_INTEROP_CYCLES'] || 20_000)

/** Each side's share of a run and its waits in ms, as rows of a table. */
export const rowsOf = (run: readonly PeerCycles[]): Record<string, string | number>[] =>
  [...sidesOf(run).entries()].map(([side, { cycles, share, waits }]) => ({
    side,
    cycles,
    'share %': ms(100 * share),
    median: ms(waits.median),
    p99: ms(waits.p99),
    max: ms(waits.max),
  }))
