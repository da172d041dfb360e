import { isFullMatrix, onOwnPostgres } from '@holdfast/testkit'
import { bench, trialOf } from './support/trial.js'

it('an unknown scenario or contender is refused with a list of the known ones', async () => {
  await expect(bench('--scenario', 'nonsense')).rejects.toThrow(/unknown scenario nonsense[^]*uncontended/)
  await expect(bench('--with', 'holdfast,nonsense')).rejects.toThrow(
    /--with nonsense: [^]*Holdfast; redlock 4/,
  )
})

type Trial = Awaited<ReturnType<typeof trialOf>>

const four = <T>(value: T): T[] => Array<T>(4).fill(value)

it('cycles and hand-offs of Holdfast beside the floors: two commands, and waiters in order', async () => {
  const { seen, of } = await trialOf('uncontended,hand-off')
  const floors = ['PING', 'SET and DEL', 'hand-off by hand']
  expect(seen('uncontended', 'commandsPerCycle')).toEqual([...floors, 'Holdfast'].map((title) => [title, 2]))
  expect(of('hand-off').map((figure) => figure.seen['outOfOrder'])).toEqual(of('hand-off').map(() => 0))
})

// The rest measures what a change rarely touches, and takes minutes.
if (isFullMatrix) {
  describe('Holdfast beside the floors', () => {
    /** Of all these scenarios in one program: to start it takes longer than most of them. */
    const scenarios = [
      ...['uncontended', 'throughput', 'nested', 'multi', 'channels', 'clients'],
      ...['hand-off', 'delayed-hand-off', 'fairness', 'shared'],
    ]
    let trial: Trial

    beforeAll(async () => {
      trial = await trialOf(scenarios.join(','))
    }, 900_000)

    it('cycles: two commands for an undisturbed one, two more for a nested call, and one for each member of a multi lock', () => {
      expect(trial.seen('uncontended', 'commandsPerCycle')).toEqual([
        ['PING', 2],
        ['SET and DEL', 2],
        ['hand-off by hand', 2],
        ['Holdfast', 2],
      ])
      expect(trial.of('throughput').map(({ at }) => at['locks'])).toEqual([1, 10, 100, 1_000].flatMap(four))
      expect(trial.seen('nested', 'commandsMore')).toEqual([
        ['PING', 2],
        ['Holdfast', 2],
      ])
      expect(trial.seen('multi', 'commandsPerCycle').map(([, commands]) => commands)).toEqual([
        4, 3, 8, 5, 16, 9,
      ])
      expect(trial.of('channels')).toHaveLength(2)
      const overClients = trial
        .seen('clients', 'commandsPerCycle')
        .map(([, commands]) => Math.round(Number(commands)))
      expect(overClients).toEqual(Array(8).fill(2))
      expect(trial.stdout).toMatch(/^\| SET and DEL +\| +[\d.]+ \| +1\.00 \|/m)
      expect(trial.stdout).toContain('left out, since they cannot re-enter: SET and DEL; hand-off by hand\n')
      expect(trial.stdout).toMatch(/^\| Commands per undisturbed cycle +\| +2\.00 \| +2\.00 \| holds/m)
    })

    it('hand-offs: waiters of Holdfast and of the floor are served in order, near Redis and far from it', () => {
      for (const name of ['hand-off', 'delayed-hand-off', 'fairness']) {
        expect(new Set(trial.of(name).map((figure) => figure.of))).toEqual(
          new Set(['hand-off by hand', 'Holdfast']),
        )
        for (const { seen } of trial.of(name)) expect(seen['outOfOrder']).toBe(0)
      }
    })

    it('shared: two commands per cycle, whether several hold an object at once or one after another', () => {
      const sent = trial.seen('shared', 'commandsPerCycle')
      expect(sent).toHaveLength(14)
      for (const [, commands] of sent) expect(commands).toBeCloseTo(2, 0)
    })
  })

  describe('what it costs', () => {
    let trial: Trial

    beforeAll(async () => {
      trial = await trialOf('memory,shared-memory,soak,cluster-bus,scale')
    }, 900_000)

    it('memory: a waiter of each kind of object, beside the floor', () => {
      const subjects = (name: string) =>
        trial.of(name).map((figure) => [figure.of, figure.at['what'], figure.at['locks']])
      expect(subjects('memory')).toEqual([
        ['SET and DEL', 'waiter', 1],
        ['Holdfast', 'waiter', 1],
      ])
      expect(trial.of('shared-memory')).toHaveLength(4)
      // The memory of so few is smaller than the noise of a heap.
      for (const { seen } of trial.of('shared-memory'))
        expect(seen['bytesBeyondFloor']).toEqual(expect.any(Number))
    })

    it('soak: no listener is left on the signal that all calls share', () => {
      expect(trial.of('soak').map(({ at }) => at['minute'])).toEqual([0, 1, 'growth per minute'])
      for (const { seen } of trial.of('soak').slice(0, 2)) {
        expect(seen['cycles']).toBeGreaterThan(0)
        expect(seen['signalListeners']).toBe(0)
      }
    })

    it('cluster-bus: PUBLISH goes to the five other nodes, SPUBLISH to the one replica', () => {
      expect(trial.seen('cluster-bus', 'busMessagesPerMessage')).toEqual([
        ['PUBLISH', 5],
        ['SPUBLISH', 1],
      ])
    })

    it('scale: costs are measured, and every table of the page is simulated or computed from them', () => {
      const kinds = new Set(trial.of('scale').map((figure) => figure.of.split(',')[0]))
      expect([...kinds]).toEqual(['cost', 'check: hand-off', 'hand-off', 'renewals', 'notices', 'failover'])
    })
  })

  it('watchdog: every library that renews its locks loses none', async () => {
    const { seen } = await trialOf('watchdog', 'holdfast,redlock,@sesame,redis-semaphore')
    expect(seen('watchdog', 'lost')).toEqual([
      ['Holdfast', 0],
      ['redlock 5', 0],
      ['@sesamecare-oss/redlock', 0],
      ['redlock-universal', 0],
      ['redis-semaphore', 0],
    ])
    for (const [, commands] of seen('watchdog', 'commandsPerPeriod')) expect(commands).toBeGreaterThan(0)
  })

  it('idle: waiters of Holdfast send next to nothing, and others poll', async () => {
    const { seen } = await trialOf('idle', 'holdfast,redis-semaphore')
    const [, [, holdfast] = [], [, polling] = []] = seen('idle', 'commandsPerSecond')
    expect(holdfast).toBeLessThan(Number(polling) / 10)
  })

  it('idle-client and command-line: a client at rest, and holdfast ls with and without a server', async () => {
    const { seen } = await trialOf('idle-client,command-line')
    expect(seen('idle-client', 'timers')).toEqual([
      ['PING', 0],
      ['SET and DEL', 0],
      ['Holdfast', 0],
    ])
    expect(seen('command-line', 'firstByteMs').map(([of]) => of)).toEqual([
      'ioredis',
      'holdfast ls',
      'holdfast ls, no server',
    ])
  })

  it('start-up: the packages that a library brings are counted, without the client that all use', async () => {
    const { seen } = await trialOf('start-up', '@sesame')
    expect(seen('start-up', 'packages')).toEqual([
      ['ioredis', undefined],
      ['SET and DEL', undefined],
      ['@sesamecare-oss/redlock', 1],
    ])
    for (const [, us] of seen('start-up', 'firstCyclesUs')) expect(us).toBeGreaterThan(0)
  })

  it('hot-key: new processes contend for one lock', async () => {
    const { seen } = await trialOf('hot-key')
    expect(seen('hot-key', 'outOfOrder')).toEqual([
      ['token in a list', 0],
      ['hand-off by hand', 0],
      ['Holdfast', 0],
    ])
  })

  it('quorum: the libraries with a lock on several masters, and no other', async () => {
    const { stdout, seen } = await trialOf('quorum', 'holdfast,redlock 5,redis-semaphore')
    const entries = seen('quorum', 'entriesPerSecond')
    expect(entries.map(([of]) => of)).toEqual(['Holdfast', 'redlock 5', 'Holdfast', 'redlock 5'])
    for (const [, perSecond] of entries) expect(perSecond).toBeGreaterThan(0)
    expect(stdout).toMatch(/^left out, since they cannot lock a quorum: .*redis-semaphore/m)
  })

  onOwnPostgres(it)('on PostgreSQL: two statements per cycle, contended or not', async () => {
    const { seen } = await trialOf('postgres-cycles,postgres-hand-off')
    for (const name of ['postgres-cycles', 'postgres-hand-off']) {
      const own = seen(name, 'statementsPerCycle').filter(([of]) =>
        /^Holdfast, (un)?logged$/.test(String(of)),
      )
      expect(own.length).toBeGreaterThan(1)
      // A trial has few cycles, and what a client sends once per period falls into some of them.
      expect(Math.min(...own.map(([, statements]) => Number(statements)))).toBeCloseTo(2, 0)
    }
  })

  onOwnPostgres(it)(
    'on PostgreSQL: what grows, what a new name leaves behind, and what other listeners cost',
    async () => {
      const { of } = await trialOf('postgres-growth,fresh-names,postgres-listeners')
      for (const { seen } of of('postgres-growth')) expect(seen['tablesKiB']).toBeGreaterThan(0)
      expect(of('postgres-growth')).toHaveLength(8)
      for (const { seen } of of('fresh-names')) expect(seen['entries']).toBeGreaterThan(0)
      expect(of('postgres-listeners').map(({ at }) => at['listeners'])).toEqual([
        'none',
        '3, same database',
        '3, another database',
      ])
    },
  )
}
