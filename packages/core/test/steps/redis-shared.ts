import {
  byOwner,
  findsEndedHold,
  looksAtQueue,
  runsAgain,
  sumProblem,
  withEndedHolds,
  type HoldContents,
  type Problem,
} from '@holdfast/model'
import type { KeyContents, RedisKind } from './redis-kind.js'
import { pairsOf } from './waiting.js'

/** Redis may read its clock for each key: this much may pass in between. */
const apartMs = 1_000

/** A read/write lock or semaphore in Redis. */
export const redisShared: RedisKind = {
  object: 'semaphore',
  scripts: [
    'sharedAcquire',
    'sharedRelease',
    'sharedRenew',
    'sharedRefresh',
    'sharedForce',
    'sharedResize',
    'sharedInspect',
  ],
  ways: [
    { leftover: 'stale entry', promise: 'expiry', allows: looksAtQueue },
    { leftover: 'expired tombstone', promise: 'expiry' },
    { from: withEndedHolds, promise: 'expiry', allows: findsEndedHold },
    { isRepeated: true, promise: 'repetition', allows: runsAgain },
  ],
  entries: {
    unitsPerMs: 1,
    write: ({ want, size, grantLeaseMs, leftMs }, nowMs, address) =>
      `${nowMs + leftMs} ${grantLeaseMs} 1 ${want} ${size} ${address}`,
    read: ([aliveUntilMs, grantLeaseMs, , want, size, proof = '', inbox = ''], nowMs) => ({
      want: Number(want),
      size: Number(size),
      grantLeaseMs: Number(grantLeaseMs),
      leftMs: Number(aliveUntilMs) - nowMs,
      proof,
      inbox,
    }),
  },
  keyList: ({ main, ends, queue, waiters, fence, size }) => [main, ends, queue, waiters, fence, size],
  queueAt: 2,
  restore({ holds, ended, resized }, { main, ends, size }, nowMs) {
    const all = [...holds, ...ended]
    const untilMs = nowMs + 2 * Math.max(apartMs, ...all.map(({ leftMs }) => leftMs))
    const used = all.reduce((sum, { count }) => sum + count, 0)
    return [
      ...(all.length === 0
        ? []
        : ([
            [
              'hset',
              main,
              'used',
              used,
              ...all.flatMap(({ owner, count, token }) => [owner, `${count} ${token}`]),
            ],
            ['zadd', ends, ...all.flatMap(({ owner, leftMs }) => [nowMs + leftMs, owner])],
            ['pexpireat', main, untilMs],
            ['pexpireat', ends, untilMs],
          ] as const)),
      ...(resized
        ? ([['set', size, `${resized.size} ${resized.version} ${resized.id}`, 'PX', resized.leftMs]] as const)
        : []),
    ].map((command) => [...command])
  },
  read([main, ends, , , , size], nowMs) {
    const { used, ...values } = Object.fromEntries(pairsOf(main?.list ?? []))
    const endOf = new Map([...pairsOf(ends?.list ?? [])].map(([owner, endMs]) => [owner, Number(endMs)]))
    // Without one of the keys there are no holds: steps take the other one for a rest.
    const isHalf = main?.list.length === 0 || ends?.list.length === 0
    const owners = isHalf ? [...Object.keys(values), ...endOf.keys()] : Object.keys(values)
    const all = owners.map((owner): HoldContents => {
      const [count, token] = (values[owner] ?? '0 0').split(' ').map(Number)
      return { owner, count: count ?? 0, token: token ?? 0, leftMs: (endOf.get(owner) ?? 0) - nowMs }
    })
    const holds = isHalf ? [] : all.filter(({ leftMs }) => leftMs > 0)
    const ended = isHalf ? all : all.filter(({ leftMs }) => leftMs <= 0)
    const [text] = size?.list ?? []
    return {
      holds: byOwner(holds),
      ended: byOwner(ended),
      resized: text === undefined ? null : resizedIn(text, size?.ttlMs ?? 0),
      problems: isHalf
        ? []
        : [...sumProblem(Number(used ?? 0), { holds, ended }), ...keyProblems(main, ends, all)],
    }
  },
}

/** A key that ends before the other, or before a hold, would be taken for a loss. */
function keyProblems(
  main: KeyContents | undefined,
  ends: KeyContents | undefined,
  holds: readonly HoldContents[],
): Problem[] {
  const [mainMs, endsMs] = [main?.ttlMs ?? 0, ends?.ttlMs ?? 0]
  const lastMs = Math.max(...holds.map(({ leftMs }) => leftMs))
  const details = []
  if (main?.list.length !== 2 * holds.length + 2 || ends?.list.length !== 2 * holds.length)
    details.push('the holds and their ends do not go together')
  if (Math.abs(mainMs - endsMs) > apartMs) details.push(`the keys end in ${mainMs} and ${endsMs} ms`)
  if (mainMs + apartMs < lastMs) details.push(`the keys end in ${mainMs} ms, a hold in ${lastMs} ms`)
  return details.map((detail) => ({ promise: 'sum', detail }))
}

function resizedIn(text: string, leftMs: number) {
  const [size, version, ...id] = text.split(' ')
  return { size: Number(size), version: Number(version), id: id.join(' '), leftMs }
}
