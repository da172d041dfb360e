import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Holdfast } from '@holdfast/core'
import { memory } from '../../src/memory/index.js'

const run = promisify(execFile)

/** Runs a program in virtual time, and resolves with the warnings that its process printed. */
async function warningsOf(program: string): Promise<string[]> {
  const setUp = `
    import { Holdfast } from '@holdfast/core'
    import { memory } from '@holdfast/stores/memory'
    import { mock } from 'node:test'
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] })
    const pass = async (seconds) => {
      for (let i = 0; i < seconds; i++) {
        mock.timers.tick(1_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const open = () => new Holdfast({ engine: memory() })
  `
  const args = ['--input-type=module', '-e', setUp + program]
  const { stderr } = await run(process.execPath, args, { cwd: `${__dirname}/..`, timeout: 30_000 })
  return stderr.split('\n').filter((line) => line.includes('HoldfastWarning'))
}

describe('a process without a listener to any event', () => {
  it('is warned once of calls that wait for themselves, whichever client and lock', async () => {
    const warnings = await warningsOf(`
      const locks = ['a', 'b'].map((name) => open().getLock(name))
      for (const lock of locks) await lock.lock()
      for (const lock of locks) void lock.withLock(() => undefined)
      await pass(60)
      process.exit()
    `)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(
      /\[HOLDFAST_SELF_DEADLOCK\] HoldfastWarning: lock a: a call has waited 10 s behind /,
    )
    expect(warnings[0]).toContain('re-enter only inside withLock, lease.run or scope')
  })

  it('is warned once of listeners that throw', async () => {
    const warnings = await warningsOf(`
      const holdfast = open()
      holdfast.on('lost', () => { throw new TypeError('a bug') })
      for (const name of ['a', 'b']) {
        await holdfast.getLock(name).lock()
        await holdfast.getLock(name).forceUnlock()
      }
      await pass(1)
      process.exit()
    `)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(
      /\[HOLDFAST_LISTENER_THREW\] HoldfastWarning: a listener of the lost event threw\. /,
    )
  })
})

describe('no process warning comes of a wait', () => {
  const emitWarning = jest.spyOn(process, 'emitWarning')
  const opened: Holdfast[] = []

  const open = (engine = memory()): Holdfast => {
    const client = new Holdfast({ engine })
    opened.push(client)
    return client
  }

  beforeEach(() => {
    emitWarning.mockReset()
    jest.useFakeTimers()
  })

  afterEach(async () => {
    jest.useRealTimers()
    await Promise.all(opened.splice(0).map((client) => client.close()))
  })

  afterAll(() => emitWarning.mockRestore())

  /** Lets a call wait for a minute. */
  const wait = async (waiting: Promise<unknown>): Promise<void> => {
    waiting.catch(() => undefined)
    await jest.advanceTimersByTimeAsync(60_000)
  }

  afterEach(() => expect(emitWarning).not.toHaveBeenCalled())

  it('of which a listener is notified', async () => {
    const holdfast = open()
    const onWaiting = jest.fn()
    holdfast.on('waiting', onWaiting)
    await holdfast.getLock('job').lock()
    await wait(holdfast.getLock('job').lock())
    expect(onWaiting).toHaveBeenCalledTimes(1)
  })

  it('behind another client', async () => {
    const engine = memory()
    await open(engine).getLock('job').lock()
    await wait(open(engine).getLock('job').lock())
  })

  it('behind a callback of another call: two requests of one server', async () => {
    const lock = open().getLock('job')
    let end = (): void => undefined
    const first = lock.withLock(() => new Promise<void>((resolve) => (end = resolve)))
    await jest.advanceTimersByTimeAsync(10)
    await wait(lock.withLock(() => undefined))
    end()
    await first
  })

  it('behind leases of other calls that come and go', async () => {
    const lock = open().getLock('job')
    const holders = [1, 2, 3, 4, 5, 6].map(async () => {
      const lease = await lock.lock()
      setTimeout(() => void lease.unlock(), 8_000)
    })
    await wait(Promise.all(holders))
  })

  it('for permits, which every call takes for itself', async () => {
    const semaphore = open().getSemaphore('slots', { permits: 1 })
    await semaphore.acquire()
    await wait(semaphore.acquire())
  })
})

it('a call that must not re-enter the hold around it is said to wait for itself', async () => {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  jest.useFakeTimers()
  const holdfast = new Holdfast({ engine: memory() })
  const lock = holdfast.getLock('job')
  const waiting = lock.withLock(() => lock.lock({ reentrant: false, waitMs: 30_000 }))
  waiting.catch(() => undefined)
  await jest.advanceTimersByTimeAsync(31_000)
  jest.useRealTimers()
  await expect(waiting).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
  await holdfast.close()
  expect(emitWarning.mock.calls).toEqual([
    [
      expect.stringMatching(/^lock job: a call has waited \d+ s for the hold around it .* a self-deadlock: /),
      { type: 'HoldfastWarning', code: 'HOLDFAST_SELF_DEADLOCK' },
    ],
  ])
  emitWarning.mockRestore()
})
