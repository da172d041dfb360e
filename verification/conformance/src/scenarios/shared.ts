import { InvalidArgumentError } from '@holdfast/core'
import { expect } from '../expect/expect.js'
import { describeReadWriteLock } from './read-write-lock.js'
import { describeSemaphore } from './semaphore.js'
import type { Suite } from '../support/suite.js'

/** Objects that several owners hold at once, or their refusal. */
export function describeShared(suite: Suite): void {
  if (suite.traits.kinds?.includes('shared')) {
    describeReadWriteLock(suite)
    describeSemaphore(suite)
    return
  }
  suite.part('shared', () => {
    suite.scenario('read/write locks and semaphores are refused, naming the engine', () => {
      const { holdfast } = suite.openUnused()
      expect(() => holdfast.getReadWriteLock('a')).toThrow(InvalidArgumentError)
      expect(() => holdfast.getReadWriteLock('a')).toThrow(/has no read\/write locks$/)
      expect(() => holdfast.getSemaphore('a', { permits: 1 })).toThrow(/has no semaphores$/)
      return Promise.resolve()
    })
  })
}
