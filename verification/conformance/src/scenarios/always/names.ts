import { InvalidArgumentError } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import type { Suite } from '../../support/suite.js'

/** Which names are locks, and which locks are the same. */
export function describeNames(suite: Suite): void {
  const it = suite.scenarios()

  suite.part('always: names', () => {
    it('names of 1 to 1,024 bytes are locks, with slashes, NUL and any script', async () => {
      const { holdfast } = await suite.open()
      const { lockName } = suite
      const names = [
        'x',
        'é'.repeat(512),
        lockName.padEnd(1_024, 'x'),
        `${lockName}/a/b//c`,
        `${lockName}\0end`,
        `${lockName} 锁 🔒 \n\t"'\\%_*?`,
      ]
      for (const name of names) {
        const lock = holdfast.getLock(name)
        const lease = await lock.lock()
        expect(await lock.tryLock()).toBeNull()
        await lease.unlock()
        expect(await lock.isLocked()).toBe(false)
      }
    })

    it('names that differ in case, a trailing space, a NUL or a slash are different locks', async () => {
      const { holdfast } = await suite.open()
      const base = `${suite.lockName}/a`
      const names = ['', ' ', '\0', '/', '\0b', 'A', 'á', 'a\u0301'].map((end) => base + end)
      names.push(base.toUpperCase(), `${base.slice(0, -1)}A`)
      const leases = []
      for (const name of names) leases.push(await holdfast.getLock(name).tryLock())
      expect(leases.map((lease) => lease?.name)).toEqual(names)
      for (const lease of leases) await lease?.unlock()
    })

    it('long names that differ in the last byte only are different locks', async () => {
      const { holdfast } = await suite.open()
      const long = suite.lockName.padEnd(1_023, 'x')
      const a = await holdfast.getLock(`${long}a`).lock()
      const b = await holdfast.getLock(`${long}b`).tryLock()
      expect(b?.isHeld).toBe(true)
      await a.unlock()
      await b?.unlock()
    })

    it('waiters of a name with odd characters are served', async () => {
      const [a, b] = await Promise.all([suite.open(), suite.open()])
      const name = `${suite.lockName}/ 锁\0"'\\\n$1`
      const order: string[] = []
      const held = await a.holdfast.getLock(name).lock()
      const waiting = new Promise((resolve) => b.holdfast.once('waiting', resolve))
      const passed = b.holdfast.getLock(name).withLock(() => order.push('b'))
      await waiting
      order.push('a')
      await held.unlock()
      await passed
      expect(order).toEqual(['a', 'b'])
    })

    it('an empty name and one of 1,025 bytes are refused', () => {
      const { holdfast } = suite.openUnused()
      for (const name of ['', 'x'.repeat(1_025), 'é'.repeat(513)]) {
        expect(() => holdfast.getLock(name)).toThrow(InvalidArgumentError)
      }
      return Promise.resolve()
    })
  })
}
