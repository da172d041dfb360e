import { sharedRedisUrl, startRedis, uniqueName } from '@holdfast/testkit'
import { Cli, type CliOptions } from './support/cli.js'
import { openHolder } from './support/holder.js'
import { atTerminal, describeAtTerminal, underJobControl } from './support/terminal.js'

const holder = (redis = sharedRedisUrl()) => openHolder({ redis, label: 'billing\x1b[2J' })

/** Ours: the alternate screen, the cursor, auto-wrap, home, the rest of a line and of the screen, colours. */
const ours = /\x1b\[(?:\?1049[hl]|\?25[hl]|\?7[hl]|H|K|J|\d+m)/g
const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l'

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

  it('top scrolls by keys, and ends with q', async () => {
    await using server = await startRedis()
    const holdfast = holder(server.url)
    const names = Array.from({ length: 40 }, (_, i) => `order:${String(i).padStart(2, '0')}`)
    const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
    const small: CliOptions = {
      ...atTerminal,
      url: server.url,
      under: (line) => ['script', '-qefc', `stty rows 12 cols 60; exec ${line}`, '/dev/null'],
    }
    const top = new Cli(['top', '--interval', '1s'], small)
    await top.untilStdout(/lines 1 to 10 of 42/)
    const [, first = ''] = await top.untilStdout(/HELD[^]*?(order:\d\d)/)
    top.type('\x1b[B')
    await top.untilStdout(/lines 2 to 11 of 42/)
    top.type('\x1b[6~')
    await top.untilStdout(/lines 12 to 21 of 42/)
    top.type('\x1b[F')
    await top.untilStdout(/lines 33 to 42 of 42/)
    const scrolled = top.stdout.slice(top.stdout.lastIndexOf('\x1b[H'))
    expect(scrolled).not.toContain(first)
    top.type('\x1b[5~')
    await top.untilStdout(/lines 23 to 32 of 42/)
    top.type('\x1b[H')
    await top.untilStdout(/lines 33 to 42[^]*lines 1 to 10 of 42/)
    top.type('q')
    const { code, stdout } = await top.ended()
    expect(code).toBe(0)
    expect(stdout.trimEnd().endsWith(leave)).toBe(true)
    await Promise.all(leases.map((lease) => lease.unlock()))
    await holdfast.close()
  })

  it.each([
    ['watch', ['watch', 'order:42']],
    ['top', ['top']],
  ])('%s draws on a screen of its own, which Ctrl-C takes away', async (_, args) => {
    await using server = await startRedis()
    const holdfast = holder(server.url)
    const lease = await holdfast.getLock('order:42').lock()
    const command = new Cli([...args, '--interval', '500ms'], { ...atTerminal, url: server.url })
    await command.untilStdout(/HELD[^]*order:42[^]*billing|order:42[^]*HELD BY[^]*billing/)
    command.type('\x03')
    const { code, stdout } = await command.ended()
    expect(code).toBe(0)
    expect(stdout.startsWith(enter)).toBe(true)
    expect(stdout.trimEnd().endsWith(leave)).toBe(true)
    expect(stdout.replace(ours, '').replaceAll('^C', '')).not.toMatch(/[^\r\n\P{Cc}]/u)
    await lease.unlock()
    await holdfast.close()
  })

  it.each([
    ['watch', ['watch', 'order:42']],
    ['top', ['top']],
  ])(
    'Ctrl-Z gives the terminal back while %s is stopped, and it draws again when it goes on',
    async (_, args) => {
      const command = new Cli([...args, '--interval', '24h'], underJobControl)
      await command.untilStdout(/order:42|clients/)
      command.type('\x1a')
      const [, whileStopped = ''] = await command.untilStdout(/^([^]*)stopped 148/)
      expect(whileStopped.lastIndexOf(leave)).toBeGreaterThan(whileStopped.lastIndexOf(enter))
      command.type('\r')
      const again = /stopped 148[^]*\x1b\[\?1049h\x1b\[\?25l\x1b\[\?7l\x1b\[H[^]*(?:order:42|clients)/
      await command.untilStdout(again)
      command.type('\x03')
      const { code, stdout } = await command.ended()
      expect(code).toBe(0)
      expect(stdout.trimEnd().endsWith(leave)).toBe(true)
    },
  )

  it.each([
    ['watch', ['watch', 'order:42']],
    ['top', ['top']],
  ])('Ctrl-C, even twice, ends %s and its screen while the store does not reply', async (_, args) => {
    await using server = await startRedis()
    await server.freeze()
    const command = new Cli([...args, '--timeout', '60s'], { ...atTerminal, url: server.url })
    await command.untilStdout(/\x1b\[\?1049h/)
    command.type('\x03\x03')
    const { code, stdout } = await command.ended()
    expect(code).toBe(0)
    expect(stdout.trimEnd().endsWith(leave)).toBe(true)
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
