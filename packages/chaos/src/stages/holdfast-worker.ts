// One actor with a Holdfast lock, in a process of its own.
// Arguments: the URL of Redis, the actor's name, the lock's name, watchdogTimeoutMs, clockAheadMs.
import { Holdfast, HoldfastError, type Lease } from '@holdfast/core'
import { fromParent, nowMs, tellParent, type HistoryEvent } from '@holdfast/testkit'

const [redis = '', name = '', lockName = '', watchdogTimeoutMs, clockAheadMs] = process.argv.slice(2)
const trueNow = Date.now
Date.now = () => trueNow() + Number(clockAheadMs)

const holdfast = new Holdfast({ redis, label: name, watchdogTimeoutMs: Number(watchdogTimeoutMs) })
// Links are broken on purpose; what matters shows in the history.
holdfast.on('error', () => undefined)
const call = { process: name, call: `${name}1`, lock: lockName }

const note = (event: HistoryEvent): Promise<void> => tellParent({ type: 'event', event })

async function enter(): Promise<Lease> {
  holdfast.once('waiting', ({ owner }) => {
    void note({ kind: 'queued', atMs: nowMs(), process: name, lock: lockName, owner })
    void tellParent({ type: 'waiting' })
  })
  await note({ ...call, kind: 'asked', atMs: nowMs(), waitMs: null })
  const lease = await holdfast.getLock(lockName).lock()
  const { owner, fencingToken: token, holdCount: count } = lease
  const atMs = nowMs()
  const claimUntilMs = atMs + lease.remainingMs()
  lease.signal.addEventListener('abort', () => {
    void note({ ...call, kind: 'lost', atMs: nowMs(), owner })
  })
  await note({ ...call, kind: 'acquired', atMs, owner, token, count, claimUntilMs })
  await tellParent({ type: 'inside' })
  return lease
}

async function leave(lease: Lease): Promise<void> {
  const { owner } = lease
  // A lost hold is noted as lost: there is nothing left to leave.
  if (!lease.signal.aborted) await note({ ...call, kind: 'left', atMs: nowMs(), owner })
  try {
    await lease.unlock()
    await note({ ...call, kind: 'released', atMs: nowMs(), owner })
    await tellParent({ type: 'left', code: null })
  } catch (error) {
    await tellParent({ type: 'left', code: error instanceof HoldfastError ? error.code : String(error) })
  }
}

// From here on connections are open and scripts loaded, so that nothing but the schedule takes time.
await holdfast.getLock(`${lockName}:${name}`).withLock(() => undefined)
await tellParent({ type: 'ready' })
await fromParent('ask')
const lease = await enter()
await fromParent('leave')
await leave(lease)
await holdfast.close()
process.disconnect()
