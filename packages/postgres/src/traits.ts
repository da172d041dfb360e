import type { Traits } from '@holdfast/core/engine'
import type { TableKind } from './sql/migrations.js'

/** What the engine promises with tables of this kind. */
export const traitsOf = (tables: TableKind): Traits => ({
  fifo: true,
  handOff: 'grant',
  lease: { stepMs: 1, shortestMs: 1, marginMs: 2 },
  fencing: 'while data lives',
  survives: tables === 'logged' ? 'restart' : 'nothing',
  force: 'notified',
  commandsAreCounted: true,
})
