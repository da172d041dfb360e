import { sharedRedisUrl, startRedis, uniqueName } from '@holdfast/testkit'
import { Cli, type CliOptions } from './support/cli.js'
import { openHolder } from './support/holder.js'
import { atTerminal, describeAtTerminal } from './support/terminal.js'

const holder = (redis = sharedRedisUrl()) => openHolder({ redis, label: 'billing\x1b[2J' })

describeAtTerminal('at a terminal', () => {
  it.each([
    ['y', 0, true],
    ['n', 1, false],
    ['', 1, false],
    ['\x03', 1, false],
    ['\x04', 1, false],
  ])('unlock asks first, and takes %j for an answer', async (answer, expected, isEvicted) => {
    const name = uniqueName('unlock')
    const lease = await holder().getLock(name).lock()
    const unlock = new Cli(['unlock', name, '--owner', lease.owner], atTerminal)
    await unlock.untilStdout(/Evict it\? \[y\/N\]/)
    unlock.type(`${answer}\r`)
    const { code, stdout } = await unlock.ended()
    expect(code).toBe(expected)
    expect(stdout).toContain('billing\\x1b[2J')
    expect(stdout).toContain(isEvicted ? 'holdfast: evicted' : 'holdfast: no holder was evicted')
    expect(await holder().getLock(name).isLocked()).toBe(!isEvicted)
    if (!isEvicted) await lease.unlock()
  })

  it.each([
    ['2', 1],
    ['', -1],
    ['3', -1],
  ])('unlock lets one pick among several holders: %j', async (answer, expected) => {
    const name = uniqueName('unlock')
    const holdfast = holder()
    const { read } = holdfast.getReadWriteLock(name)
    const leases = [await holdfast.detached(() => read.lock()), await holdfast.detached(() => read.lock())]
    const unlock = new Cli(['unlock', name], atTerminal)
    const [, ...owners] = await unlock.untilStdout(
      /1  read-write-lock: .*billing.*\((\S+)\).*\s+2  .*\((\S+)\)[^]*Which one\? \[1-2, Enter for none\]/,
    )
    unlock.type(`${answer}\r`)
    if (expected >= 0) {
      await unlock.untilStdout(/Evict it\? \[y\/N\]/)
      unlock.type('y\r')
    }
    const { code } = await unlock.ended()
    expect(code).toBe(expected >= 0 ? 0 : 1)
    const { holders } = await read.inspect()
    const left = owners.filter((_, i) => i !== expected)
    expect(holders.map(({ owner }) => owner).sort()).toEqual(left.sort())
    for (const lease of leases) if (left.includes(lease.owner)) await lease.unlock()
  })

  it('unlock goes straight to the question when there is one holder', async () => {
    const name = uniqueName('unlock')
    await using _lease = await holder().getLock(name).lock()
    const unlock = new Cli(['unlock', name], atTerminal)
    await unlock.untilStdout(/Evict it\? \[y\/N\]/)
    unlock.type('\r')
    expect((await unlock.ended()).code).toBe(1)
  })

  it('--every begins each time on an empty screen', async () => {
    const inspect = new Cli(['inspect', uniqueName('free'), '--every', '500ms'], atTerminal)
    const { 0: twice } = await inspect.untilStdout(/^(\x1b\[H\x1b\[2Jlock free\S+: free\r\n){2}/)
    expect(twice).not.toMatch(/held/)
    inspect.type('\x03')
    expect((await inspect.ended()).code).toBe(0)
  })

  it('ls clears its progress before it prints rows', async () => {
    await using server = await startRedis()
    const holdfast = holder(server.url)
    const names = Array.from({ length: 400 }, (_, i) => `order:${i}`)
    const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
    // So many keys take several times as long to scan as progress takes to show.
    await server.call('EVAL', "for i = 1, 100000 do redis.call('SET', 'other:' .. i, '') end", 0)
    const { code, stdout } = await new Cli(['ls'], { ...atTerminal, url: server.url }).ended()
    expect(code).toBe(0)
    expect(stdout).toMatch(/scanned [\d,]+ of [\d,]+ keys\r\x1b\[K/)
    expect(stdout.match(/^.*keys\S.*$/gm)).toBeNull()
    await Promise.all(leases.map((lease) => lease.unlock()))
    await holdfast.close()
  })

  it('colours are for terminals, and NO_COLOR takes them away', async () => {
    const doctor = async (options: CliOptions): Promise<string> =>
      (await new Cli(['doctor'], options).ended()).stdout
    expect(await doctor(atTerminal)).toContain('\x1b[32mok\x1b[39m')
    expect(await doctor({ ...atTerminal, env: { ...atTerminal.env, NO_COLOR: '1' } })).not.toContain('\x1b')
    expect(await doctor({})).not.toContain('\x1b')
  })
})
