// Enters a quorum lock over and over until it is told to stop, and records a history. Arguments: the URLs of the masters and
// options as JSON, the lock, the file of the history, the name of this process.
import { HoldfastQuorum } from '@holdfast/core'
import { fromParent, nowMs, openHistory, tellParent } from '@holdfast/testkit/process'

const [masters, options, lock, file, name] = process.argv.slice(2)
const quorum = new HoldfastQuorum({ ...JSON.parse(options), masters: JSON.parse(masters) })
// Masters that go down are the point of the test.
quorum.on('error', () => undefined)
const history = openHistory(file, name)
let isStopping = false
void fromParent('stop').then(() => {
  isStopping = true
})

let longestWaitMs = 0
let entries = 0
const wait = async () => {
  const call = `${name}-${++entries}`
  history.write({ kind: 'requested', call, lock, waitMs: null })
  const askedAt = nowMs()
  const lease = await quorum.getFencedLock(lock).lock()
  const { owner, fencingToken: token } = lease
  const claimUntilMs = nowMs() + lease.remainingMs()
  longestWaitMs = Math.max(longestWaitMs, nowMs() - askedAt)
  history.write({ kind: 'acquired', call, lock, owner, token, count: 1, claimUntilMs })
  await new Promise((resolve) => setTimeout(resolve, 2))
  history.write({ kind: 'left', call, lock, owner })
  await lease.unlock()
  history.write({ kind: 'released', call, lock, owner })
}

await quorum.getLock(`first-use:${name}`).withLock(() => undefined)
await tellParent({ type: 'ready' })
await fromParent('start')
while (!isStopping) {
  await wait()
  await tellParent({ type: 'entered', entries })
}
await quorum.close()
history.close()
await tellParent({ type: 'done', entries, longestWaitMs })
