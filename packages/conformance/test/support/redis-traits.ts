import type { Traits } from '@holdfast/core/engine'

/** What Redis and Valkey promise. */
export const redisTraits: Traits = {
  fifo: true,
  handOff: 'grant',
  lease: { stepMs: 1, shortestMs: 100, marginMs: 2 },
  fencing: 'while data lives',
  survives: 'nothing',
  force: 'notified',
  commandsAreCounted: true,
}
