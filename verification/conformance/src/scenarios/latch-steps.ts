import type {
  CountDownRequest,
  LatchDeleteRequest,
  LatchSession,
  LatchSetRequest,
} from '@holdfast/core/engine'
import { expect } from '../expect/expect.js'
import { BareSession } from '../support/bare-session.js'
import type { Suite } from '../support/suite.js'

const timeoutMs = 5_000

/** What single steps of a latch do when they come twice, late, or in another generation. */
export function describeLatchSteps(suite: Suite): void {
  const bare = { isPromised: suite.traits.kinds?.includes('latch') === true, needs: ['engine'] } as const

  async function open() {
    const engine = suite.engine.engine?.()
    if (!engine) throw new Error(`${suite.engine.name} offers no engine`)
    const { session } = await BareSession.open(engine, suite.lockName)
    suite.endAfterScenario(() => session.close())
    const { latches } = session
    if (!latches) throw new Error(`${suite.engine.name} has no latches`)
    const address = session.names.locate(suite.lockName, 'latch')
    return {
      session,
      address,
      set: (request: Partial<LatchSetRequest>) =>
        latches.set(address, { named: 0, setter: 's', count: 2, keepMs: 60_000, ...request }, timeoutMs),
      countDown: (request: CountDownRequest) => latches.countDown(address, request, timeoutMs),
      remove: (request: Pick<LatchDeleteRequest, 'named'>) =>
        latches.delete(address, { tombstoneMs: 60_000, ...request }, timeoutMs),
      wait: async (awaited?: { generation: number; isBound: boolean }, aliveMs = 0) =>
        (await latches.wait([{ address, awaited, aliveMs }], timeoutMs))[0],
      state: () => stateOf(latches, address),
    }
  }

  async function stateOf(latches: LatchSession, address: Parameters<LatchSession['inspect']>[0]) {
    const reply = await latches.inspect(address, 0)
    if (reply.kind !== 'latch') throw new Error(`expected a latch, got ${reply.kind}`)
    return reply.state
  }

  type Steps = Awaited<ReturnType<typeof open>>

  /** Sets a count; returns its generation. */
  async function begin(latch: Steps, named = 0, count = 1, setter = `s${named}`): Promise<number> {
    const reply = await latch.set({ named, count, setter })
    if (reply.kind !== 'done') throw new Error(`not set: ${JSON.stringify(reply)}`)
    return reply.state.generation
  }

  const it = suite.scenarios(bare)

  suite.part('latch: steps', () => {
    it('a set, a count-down and a deletion that come twice change nothing the second time', async () => {
      const latch = await open()
      const first = await latch.set({})
      expect(first).toMatchObject({ kind: 'done', state: { left: 2 } })
      expect(await latch.set({})).toEqual(first)
      const { generation: named } = await latch.state()
      for (const _ of [1, 2]) {
        expect(await latch.countDown({ named, party: 'p' })).toMatchObject({
          kind: 'done',
          state: { left: 1 },
        })
      }
      for (const _ of [1, 2]) {
        expect(await latch.countDown({ named, party: 'q' })).toMatchObject({
          kind: 'done',
          state: { left: 0, opened: named },
        })
      }
      for (const _ of [1, 2]) expect(await latch.remove({ named })).toMatchObject({ kind: 'done' })
      expect(await latch.set({})).toMatchObject({ kind: 'done' })
      expect((await latch.state()).first).toBeGreaterThan(named)
    })

    it('stray of an earlier generation: it changes nothing and shows the present one', async () => {
      const latch = await open()
      const first = await begin(latch)
      await latch.countDown({ named: first, party: 'p' })
      const second = await begin(latch, first)
      expect(second).toBeGreaterThan(first)
      const state = await latch.state()
      const other = { kind: 'other', state }
      expect(await latch.countDown({ named: first, party: 'q' })).toEqual(other)
      expect(await latch.set({ named: first, setter: 'late' })).toEqual(other)
      expect(await latch.set({ named: 0, setter: 'very late' })).toEqual(other)
      expect(await latch.set({ named: second, setter: 'too soon' })).toEqual(other)
      expect(await latch.remove({ named: first })).toEqual(other)
      expect(await latch.state()).toEqual(state)
      expect(state).toMatchObject({ generation: second, previous: first, first, opened: first, left: 1 })
    })

    it('set again before a waiter looked: a wait passes by its own generation, and by none before or after it', async () => {
      const latch = await open()
      const first = await begin(latch)
      expect(await latch.wait()).toEqual({ kind: 'closed', awaited: { generation: first, isBound: true } })
      await latch.countDown({ named: first, party: 'p' })
      const second = await begin(latch, first)
      expect(await latch.wait({ generation: first, isBound: true })).toEqual({
        kind: 'passed',
        generation: first,
      })
      expect(await latch.wait()).toEqual({ kind: 'closed', awaited: { generation: second, isBound: true } })
      expect(await latch.wait({ generation: first - 1, isBound: true })).toEqual({ kind: 'gone' })
      expect(await latch.wait({ generation: second + 1, isBound: true })).toEqual({ kind: 'gone' })
    })

    it('wait before set: it passes by the first opening after it, seen or not', async () => {
      const latch = await open()
      const unset = await latch.wait()
      if (unset?.kind !== 'closed') throw new Error('not closed')
      const { awaited } = unset
      expect(awaited.isBound).toBe(false)
      expect(await latch.wait(awaited)).toEqual(unset)
      const first = await begin(latch)
      expect(first).toBeGreaterThanOrEqual(awaited.generation)
      expect(await latch.wait(awaited)).toEqual({
        kind: 'closed',
        awaited: { generation: first, isBound: true },
      })
      await latch.countDown({ named: first, party: 'p' })
      await begin(latch, first)
      expect(await latch.wait(awaited)).toEqual({ kind: 'passed', generation: first })
    })

    it('lost latch: after a deletion nothing of before passes, and a late set finds that it comes too late', async () => {
      const latch = await open()
      const first = await begin(latch)
      await latch.countDown({ named: first, party: 'p' })
      await latch.remove({ named: first })
      const bound = { generation: first, isBound: true }
      expect(await latch.wait(bound)).toEqual({ kind: 'gone' })
      expect(await latch.countDown({ named: first, party: 'q' })).toMatchObject({ kind: 'other' })
      expect(await latch.set({ named: 0, setter: 'late' })).toMatchObject({ kind: 'other' })
      const second = await begin(latch, first)
      await latch.countDown({ named: second, party: 'p' })
      expect(await latch.wait(bound)).toEqual({ kind: 'gone' })
      expect(await latch.state()).toMatchObject({ first: second, opened: second })
    })

    it('addresses of a latch and of a lock of the same name differ, and lead back to them', async () => {
      const { session, address } = await open()
      expect(address.id).not.toBe(session.names.locate(suite.lockName, 'lock').id)
      expect(session.names.resolve(address.id)).toMatchObject({ name: suite.lockName, id: address.id })
    })
  })
}
