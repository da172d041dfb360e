import type { LatchWaitReply } from '@holdfast/core/engine'
import { documentEngine } from '@holdfast/stores/documents'
import type { LatchContents, LatchRan, LatchStep, LatchStore } from '@holdfast/model'
import { decode, encode } from '../../../src/documents/codec.js'
import { latchDocuments } from '../../../src/documents/kinds.js'
import { DocumentTable } from '@holdfast/sim/stores'
import { hostOf } from './open-client.js'

const key = 'latch:x'
const timeoutMs = 60_000

/** When to look again is no part of what a step does. */
function withoutPace(reply: LatchWaitReply): LatchWaitReply {
  if (reply.kind !== 'closed') return reply
  const { againMs: _, ...rest } = reply
  return rest
}

/** A clock that stands still between steps, in a store that may be another one for each. */
class SteppedTable extends DocumentTable {
  incarnation = ''

  override get trueMs(): number {
    return 1_700_000_000_000 + this.offsetMs
  }

  override read(of: string) {
    return { ...super.read(of), incarnation: this.incarnation }
  }
}

/** One latch in a store of documents. Nobody hears of anything: who waits looks again. */
export class DocumentLatch implements LatchStore {
  readonly #table = new SteppedTable()

  async run(step: LatchStep): Promise<LatchRan> {
    this.#table.offsetMs += 1
    this.#table.incarnation = step.kind === 'set' ? step.incarnation : ''
    return { reply: await this.#take(step), notices: [] }
  }

  async read(): Promise<LatchContents> {
    const { latches, address } = this.#open('reader')
    const found = await latches.inspect(address, 100)
    if (found.kind !== 'latch') throw new Error(found.reason)
    return found
  }

  forget(): Promise<void> {
    this.#table.rows.clear()
    return Promise.resolve()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #take(step: LatchStep): Promise<LatchRan['reply']> {
    const { latches, address } = this.#open('clientId' in step ? step.clientId : 'operator')
    switch (step.kind) {
      case 'set':
        return latches.set(address, step, timeoutMs)
      case 'count down':
        return latches.countDown(address, step, timeoutMs)
      case 'delete':
        return latches.delete(address, step, timeoutMs)
      case 'wait': {
        const { clientId, awaited, aliveMs } = step
        const wait = () => latches.wait([{ address, awaited, aliveMs }], timeoutMs)
        const [reply] = await wait()
        // Another look changes nothing until half of the time is over for which the client is listed.
        if (reply?.kind === 'closed' && aliveMs > 0 && this.#isLost(clientId)) await wait()
        return reply ? withoutPace(reply) : null
      }
      case 'pass':
        this.#table.offsetMs += step.ms
        return null
    }
  }

  /** The time is over for which the client is listed, if it is. */
  #isLost(clientId: string): boolean {
    const decoded = decode(latchDocuments, key, this.#table.rows.get(key)?.text ?? '')
    if (decoded.kind === 'not-a-lock' || !decoded.content.waiters.delete(clientId)) return false
    this.#table.put(key, encode(latchDocuments, decoded.content))
    return true
  }

  #open(clientId: string) {
    // A count is kept for half of this time longer, so that those who wait need not write each time.
    const { latches, names } = documentEngine(this.#table).open({ ...hostOf(clientId), watchdogTimeoutMs: 0 })
    if (!latches) throw new Error('documents with a queue have latches')
    return { latches, address: names.locate('x', 'latch') }
  }
}
