import type { Traits } from '@holdfast/core/engine'
import type { PostgresSettings } from './options.js'

/**
 * What the engine promises with these settings.
 *
 * | Tables                         | A crash empties them | A standby has                      | Holds survive   |
 * | ------------------------------ | -------------------- | ---------------------------------- | --------------- |
 * | `unlogged`                     | yes                  | nothing                            | a clean restart |
 * | `logged`                       | no                   | what was sent to it by then        | a crash         |
 * | `logged`, `minReplicas` from 1 | no                   | all that any client got a reply to | a failover     |
 */
export const traitsOf = (settings: Pick<PostgresSettings, 'tables' | 'minReplicas'>): Traits => ({
  kinds: ['shared', 'latch'],
  fifo: true,
  handOff: 'grant',
  lease: { stepMs: 1, shortestMs: 1, marginMs: 2, keeps: true, handsOver: true },
  fencing: 'while data lives',
  survives: survives(settings),
  force: 'notified',
  operator: true,
  commandsPerCycle: { uncontended: 2, contended: 2 },
})

function survives({
  tables,
  minReplicas,
}: Pick<PostgresSettings, 'tables' | 'minReplicas'>): Traits['survives'] {
  if (tables === 'unlogged') return 'nothing'
  return minReplicas > 0 ? 'failover' : 'restart'
}
