import type { Scenario } from '../scenario.js'
import type { Figure } from '../figure.js'
import { ratioToFloor } from './ratio.js'
import { atMost, exactly, verdictTable } from './verdict.js'

const isShared = ({ of }: Figure): boolean => /^(read lock|write lock|semaphore)/.test(of)

/** The targets for read/write locks and semaphores, and whether they are met. */
export function sharedTargetsTable(scenarios: readonly Scenario[], figures: readonly Figure[]): string {
  const own = (name: string): Figure[] =>
    figures.filter((figure) => figure.scenario === name && isShared(figure))
  const seenIn = (chosen: readonly Figure[], name: string): number[] =>
    chosen.flatMap(({ seen }) => seen[name] ?? [])
  const counted = scenarios.find(({ name }) => name === 'shared-instructions')
  const timesLock = (begin: string): number[] =>
    own('shared-instructions').flatMap((figure) => {
      const isMeant = String(figure.at['cycle']).startsWith(begin)
      return isMeant && counted ? (ratioToFloor(counted, figure, figures) ?? []) : []
    })
  const inside = (begin: string): number[] =>
    seenIn(
      own('shared-instructions').filter(({ at }) => String(at['cycle']).startsWith(begin)),
      'commandsPerCycle',
    )
  const of1000 = own('shared').filter(({ at }) => String(at['situation']).startsWith('1000 '))
  return verdictTable([
    ...exactly('Commands per cycle', 2, seenIn(own('shared'), 'commandsPerCycle')),
    ...atMost('Redis commands inside an undisturbed cycle', 10, inside('undisturbed')),
    ...atMost('Redis commands inside a cycle beside readers', 16, inside('beside')),
    ...atMost('Redis commands inside a contended cycle', 31, inside('contended')),
    ...atMost('Redis commands of a nested call', 0, inside('nested')),
    ...atMost('Undisturbed, × the instructions of the lock', 1.6, timesLock('undisturbed')),
    ...atMost('Contended, × the instructions of the lock', 1.6, timesLock('contended')),
    ...atMost('Redis time in which 1000 readers enter, µs each', 12, seenIn(of1000, 'redisUsPerEntry')),
    ...atMost(
      'Heap bytes per hold or waiter, beyond the floor',
      1_536,
      seenIn(own('shared-memory'), 'bytesBeyondFloor'),
    ),
  ])
}
