// A participant with a Holdfast lock, in its own process.
// Arguments: the URL of Redis, the participant's name, the lock's name, watchdogTimeoutMs, clockAheadMs.
import { Holdfast, HoldfastError, type Lease } from '@holdfast/core'
import { fromParent, nowMs, tellParent, type HistoryEvent } from '@holdfast/testkit/process'

const [redis = '', name = '', lockName = '', watchdogTimeoutMs, clockAheadMs] = process.argv.slice(2)
const trueNow = Date.now
Date.now = () => trueNow() + Number(clockAheadMs)

const holdfast = new Holdfast({ redis, label: name, watchdogTimeoutMs: Number(watchdogTimeoutMs) })
// Connections are broken on purpose; what matters is in the history.
holdfast.on('error', () => undefined)
const call = { process: name, call: `${name}1`, lock: lockName }

const note = (event: HistoryEvent): Promise<void> => tellParent({ type: 'event', event })

async function acquire(): Promise<Lease> {
  holdfast.once('waiting', ({ owner }) => {
    void note({ kind: 'queued', atMs: nowMs(), process: name, lock: lockName, owner })
    void tellParent({ type: 'waiting' })
  })
  await note({ ...call, kind: 'requested', atMs: nowMs(), waitMs: null })
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

async function release(lease: Lease): Promise<void> {
  const { owner } = lease
  // A lost hold was already noted as lost: it cannot be left any more.
  if (!lease.signal.aborted) await note({ ...call, kind: 'left', atMs: nowMs(), owner })
  try {
    await lease.unlock()
    await note({ ...call, kind: 'released', atMs: nowMs(), owner })
    await tellParent({ type: 'released', code: null })
  } catch (error) {
    await tellParent({ type: 'released', code: error instanceof HoldfastError ? error.code : String(error) })
  }
}

// From here on, connections are open and scripts loaded, so only the schedule takes time.
await holdfast.getLock(`${lockName}:${name}`).withLock(() => undefined)
await tellParent({ type: 'ready' })
await fromParent('acquire')
const lease = await acquire()
await fromParent('release')
await release(lease)
await holdfast.close()
process.disconnect()
