import { startIndependents, startReplicated, until } from '../src/index.js'

const readsOf = (servers: readonly { call: (command: string, key: string) => Promise<unknown> }[]) =>
  Promise.all(servers.map((server) => server.call('GET', 'k')))

it('replicas follow their master', async () => {
  await using group = await startReplicated()
  expect(group.replicas).toHaveLength(2)
  await group.master.call('SET', 'k', 'v')
  await until(async () => (await readsOf(group.replicas)).join() === 'v,v')
})

it('all other servers, the former master included, follow a promoted replica', async () => {
  await using group = await startReplicated()
  const [heir] = group.replicas
  if (!heir) throw new Error('no replica')
  await group.promote(heir)
  expect(group.master).toBe(heir)
  expect(group.replicas).toHaveLength(2)
  await group.master.call('SET', 'k', 'w')
  await until(async () => (await readsOf(group.replicas)).join() === 'w,w')
})

it('a master that was killed comes back as a replica of the promoted one', async () => {
  await using group = await startReplicated({ replicas: 1 })
  const former = group.master
  const [heir] = group.replicas
  if (!heir) throw new Error('no replica')
  await former.kill()
  await group.promote(heir)
  await heir.call('SET', 'k', 'v')
  await former.restart()
  await group.rejoin()
  await expect(former.call('GET', 'k')).resolves.toBe('v')
  await expect(former.call('SET', 'k', 'w')).rejects.toThrow('READONLY')
})

it('a frozen replica does not delay a promotion', async () => {
  await using group = await startReplicated()
  const [heir, frozen] = group.replicas
  if (!heir || !frozen) throw new Error('no replicas')
  await frozen.freeze()
  await group.promote(heir)
  await frozen.thaw()
  await group.rejoin()
  await heir.call('SET', 'k', 'v')
  await until(async () => (await frozen.call('GET', 'k')) === 'v')
})

it('a server of another group is not promoted', async () => {
  await using group = await startReplicated({ replicas: 0 })
  await using others = await startIndependents(1)
  const [stranger] = others.servers
  if (!stranger) throw new Error('no server')
  await expect(group.promote(stranger)).rejects.toThrow('not one of these')
})

it('independent masters share nothing', async () => {
  await using group = await startIndependents(3)
  expect(group.servers).toHaveLength(3)
  await group.servers[0]?.call('SET', 'k', 'v')
  await expect(readsOf(group.servers)).resolves.toEqual(['v', null, null])
  await expect(Promise.all(group.servers.map((server) => server.call('ROLE')))).resolves.toEqual(
    Array.from({ length: 3 }, (): unknown[] => ['master', 0, []]),
  )
})

it('when one server does not start, none is left running', async () => {
  await expect(startIndependents(2, { args: ['--no-such-option', '1'] })).rejects.toThrow('no-such-option')
})
