import { HoldfastError } from '../errors/errors.js'
import { Wait } from './wait.js'

type State = 'first' | 'second' | 'third'

/** A wait that goes where it is told. */
class TestWait extends Wait<string, State> {
  readonly left: string[] = []
  override readonly isContended = false
  protected readonly transitions = { first: ['second'], second: ['third'], third: [] } as const

  constructor(waitMs = Infinity, signal?: AbortSignal) {
    const address = { name: 'orders', id: 'orders', group: '' }
    const target = { address, kind: 'lock', permits: 1, size: undefined } as const
    const request = { waitMs, signal, leaseMs: null, maxHoldMs: Infinity }
    const client = {
      clientId: 'c',
      settings: { engine: 'test' },
      channels: undefined,
      frames: { isInside: false },
    }
    super(client, 1, target, request, undefined, 'first')
  }

  goTo(state: State): void {
    this.enter(state)
  }

  enterBy(result: string): void {
    this.succeed(() => result)
  }

  later(ms: number, step: () => void): void {
    this.after(ms, step)
  }

  protected join(): void {
    this.left.length = 0
  }

  protected begin(): void {
    return
  }

  protected onLimit(): void {
    this.end('too late')
  }

  protected readObstacle(): void {
    return
  }

  protected leave(from: State, hasSucceeded: boolean): void {
    this.left.push(`${from} ${String(hasSucceeded)}`)
  }
}

describe('a wait', () => {
  it('that goes where its table has no way ends with an error that names both states', async () => {
    const wait = new TestWait()
    const result = wait.run()
    wait.goTo('second')
    wait.goTo('first')
    await expect(result).rejects.toThrow(new HoldfastError('lock orders: a wait went from second to first'))
    expect(wait.left).toEqual(['second false'])
  })

  it('settles once, and leaves once', async () => {
    const wait = new TestWait()
    const result = wait.run()
    wait.enterBy('in')
    wait.enterBy('in again')
    wait.close()
    wait.goTo('second')
    await expect(result).resolves.toBe('in')
    expect(wait.left).toEqual(['first true'])
  })

  it('takes no step of a state that it has left', async () => {
    jest.useFakeTimers()
    try {
      const wait = new TestWait(500)
      const result = wait.run()
      const step = jest.fn()
      wait.later(100, step)
      wait.goTo('second')
      jest.advanceTimersByTime(499)
      expect(wait.left).toEqual([])
      jest.advanceTimersByTime(1)
      await expect(result).resolves.toBe('too late')
      expect(step).not.toHaveBeenCalled()
    } finally {
      jest.useRealTimers()
    }
  })

  it('of a call that is aborted already ends before it begins', async () => {
    const reason = new Error('enough')
    await expect(new TestWait(Infinity, AbortSignal.abort(reason)).run()).rejects.toBe(reason)
  })
})
