import type { Contender } from '../contender.js'
import { holdfast as holdfastOnRedis } from '../contenders/holdfast.js'
import { advisoryLocks } from './advisory-locks.js'
import { holdfastOn } from './holdfast.js'
import { rowLocks } from './row-locks.js'
import { verrou } from './verrou.js'

/** Holdfast on Redis, under the name that it has beside the others. */
export const onRedis: Contender = { ...holdfastOnRedis, library: 'Holdfast on Redis' }

export const unlogged = holdfastOn('unlogged')
export const logged = holdfastOn('logged')

/** What is compared on PostgreSQL. The floor first. */
export const postgresContenders: readonly Contender[] = [
  advisoryLocks,
  onRedis,
  unlogged,
  logged,
  rowLocks,
  verrou,
]

/** Whether its waiters queue at the server; the others poll. */
export const queues = (contender: Contender): boolean => contender !== rowLocks && contender !== verrou

/** Floors, and what belongs to the libraries that `--with` names. */
export const chosenOf = (given: readonly Contender[]): readonly Contender[] =>
  postgresContenders.filter(
    ({ configuration, library }) =>
      configuration === 'floor' || given.some((contender) => library.startsWith(contender.library)),
  )
