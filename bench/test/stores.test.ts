import { isFullMatrix } from '@holdfast/testkit'
import { trialOf } from './support/trial.js'

it('on ZooKeeper and etcd: requests per cycle and per nested call, and those that keep holds', async () => {
  const { seen, of } = await trialOf('zookeeper-cycles,etcd-cycles,session-upkeep')
  // What a client sends once per period may fall into the few cycles of a trial.
  const rounded = (name: string, what: string) =>
    seen(name, what).flatMap(([title, value]) =>
      value === undefined ? [] : [[title, Math.round(Number(value))]],
    )
  expect(rounded('zookeeper-cycles', 'requestsPerCycle')).toEqual([
    ['ZooKeeper by hand', 3],
    ['Holdfast on ZooKeeper', 3],
    ['node-zookeeper-client', 3],
  ])
  expect(rounded('etcd-cycles', 'requestsPerCycle')).toEqual([
    ['etcd by hand', 2],
    ['Holdfast on etcd', 2],
    ['etcd3', 4],
  ])
  expect(rounded('zookeeper-cycles', 'nestedMore')).toEqual([['Holdfast on ZooKeeper', 2]])
  expect(rounded('etcd-cycles', 'nestedMore')).toEqual([['Holdfast on etcd', 2]])
  for (const { seen: kept } of of('session-upkeep')) expect(kept['lost']).toBe(0)
})

// The rest asks the same of the other stores.
if (isFullMatrix) {
  it('on MySQL: statements per cycle, and Holdfast serves waiters in order', async () => {
    const { seen, of: figuresOf } = await trialOf('mysql-cycles,mysql-hand-off')
    const counts = seen('mysql-cycles', 'statementsPerCycle').map(([title, value]) => ({
      title,
      statements: Number(value),
    }))
    const titles = ['GET_LOCK', 'Holdfast on MySQL', 'lock table']
    expect(counts.map(({ title }) => title)).toEqual([...titles, ...titles])
    // On a busy machine the lock table asks again, and what Holdfast sends by the clock falls into the few cycles of a trial.
    for (const { title, statements } of counts.filter(({ title }) => title !== 'lock table')) {
      const promised = title === 'GET_LOCK' ? 2 : 4
      expect([title, statements >= promised && statements < promised + 2]).toEqual([title, true])
    }
    const [handOff] = figuresOf('mysql-hand-off').filter(({ of: title }) => title === 'Holdfast on MySQL')
    expect(handOff?.seen['outOfOrder']).toBe(0)
  })

  it('on ZooKeeper and etcd: waiters are served in order by hand, and by Holdfast in one client or many', async () => {
    const { of } = await trialOf('zookeeper-hand-off,etcd-hand-off')
    const figures = [...of('zookeeper-hand-off'), ...of('etcd-hand-off')]
    expect(figures).toHaveLength(8)
    for (const figure of figures.filter(({ of: title }) => title !== 'etcd3')) {
      expect([figure.of, figure.seen['outOfOrder']]).toEqual([figure.of, 0])
    }
  })

  it('on memcached: commands per cycle, a queue that is kept, and what clients send while they wait', async () => {
    const { seen, of } = await trialOf('memcached-cycles,memcached-hand-off,memcached-polls')
    expect(
      seen('memcached-cycles', 'requestsPerCycle').map(([title, sent]) => [title, Math.round(Number(sent))]),
    ).toEqual([
      ['memcached by hand', 2],
      ['Holdfast on memcached', 6],
      ['Holdfast on memcached, queue: false', 6],
    ])
    const queued = of('memcached-hand-off').filter(({ of: title }) =>
      /^Holdfast on memcached($|, \d)/.test(title),
    )
    expect(queued.map(({ seen: found }) => found['outOfOrder'])).toEqual([0, 0])
    expect(seen('memcached-polls', 'commandsPerSecond')).toHaveLength(2)
  })
}
