import { execFileSync } from 'node:child_process'
import { Holdfast } from '@holdfast/core'
import { sharedRedisUrl, uniqueName, until } from '@holdfast/testkit'
import { Cli, type CliOptions } from './support/cli.js'
import { atTerminal, describeAtTerminal } from './support/terminal.js'
import { guardOf } from './support/guard.js'
import { lastBeat, testCommand, untilBeating } from './support/command.js'

const holdfast = new Holdfast({ redis: sharedRedisUrl() })

afterAll(() => holdfast.close())

const ctrlC = '\x03'

describeAtTerminal('holdfast run at a terminal', () => {
  it('Ctrl-C reaches the command once, and its exit code decides', async () => {
    const name = uniqueName('terminal')
    const { words, file } = await testCommand()
    const runner = new Cli(['run', name, '--', ...words], atTerminal)
    await untilBeating(file)
    // A terminal drops what it has not passed on by the time of a Ctrl-C.
    const [, pid] = await runner.untilStdout(/started (\d+)/)
    runner.type(ctrlC)
    await runner.untilStdout(/SIGINT/)
    // Whatever was forwarded besides would arrive before this.
    runner.type(ctrlC)
    await runner.untilStdout(/SIGINT[^]*SIGINT/)
    expect(await holdfast.getLock(name).isLocked()).toBe(true)
    process.kill(Number(pid), 'SIGTERM')
    const { code, stdout } = await runner.ended()
    expect(code).toBe(0)
    expect(stdout.match(/SIGINT/g)).toHaveLength(2)
  })

  it('Ctrl-C ends a wait', async () => {
    const name = uniqueName('terminal')
    await using _lease = await holdfast.getLock(name).lock()
    const waiting = new Cli(['run', name, '--', 'true'], atTerminal)
    await until(async () => (await holdfast.getLock(name).inspect()).waiterCount === 1)
    waiting.type(ctrlC)
    expect((await waiting.ended()).code).toBe(130)
  })

  it('a shell that is ended by Ctrl-C takes the loop around it along', async () => {
    const name = uniqueName('terminal')
    const { words, file } = await testCommand()
    const inLoop: CliOptions = {
      ...atTerminal,
      under: (line) => [
        'script',
        '-qefc',
        `bash -c "for i in 1 2 3; do ${line.replaceAll('"', '\\"')}; done"`,
        '/dev/null',
      ],
    }
    const runner = new Cli(
      ['run', name, '--', 'sh', '-c', 'echo round; sleep 60 & wait; "$@"', 'sh', ...words],
      inLoop,
    )
    await runner.untilStdout(/round/)
    runner.type(ctrlC)
    const { stdout } = await runner.ended()
    expect(stdout.match(/round/g)).toHaveLength(1)
    expect(lastBeat(file)).toBe(0)
  })

  it('a stopped job is killed before the rival is in, with what the command started', async () => {
    const name = uniqueName('terminal')
    const { words, file } = await testCommand('ignore-term', 'with-descendant')
    // Until it is stopped the runner has to renew in time, even on a machine under load.
    const runner = new Cli(['run', '--lease', '6s', name, '--', ...words], inShell)
    await untilBeating(`${file}.descendant`)
    const [, pid = ''] = await runner.untilStdout(/started (\d+)/)
    const job = membersOf(ofProcess('pgid', pid))
    for (const member of job) process.kill(member, 'SIGSTOP')
    const lease = await holdfast.getLock(name).lock({ waitMs: 60_000 })
    process.kill(Number(ofProcess('ppid', pid)), 'SIGCONT')
    expect((await runner.ended()).code).toBe(79)
    expect(lease.fencingToken / 1_000).toBeGreaterThan(
      Math.max(lastBeat(file), lastBeat(`${file}.descendant`)),
    )
    await lease.unlock()
  })

  it.each([
    ['that ignores SIGTERM', ['ignore-term']],
    ['that heeds SIGTERM', []],
  ])('a command %s and whose guard was killed is killed with what it started', async (_, traits) => {
    const name = uniqueName('terminal')
    const { words, file } = await testCommand(...traits, 'with-descendant')
    const runner = new Cli(['run', '--lease', '6s', name, '--', ...words], atTerminal)
    await untilBeating(`${file}.descendant`)
    const [, pid = ''] = await runner.untilStdout(/started (\d+)/)
    process.kill(guardOf(Number(ofProcess('ppid', pid))), 'SIGKILL')
    const { code, stdout } = await runner.ended()
    expect(stdout).toContain('the command did not end in time and was killed')
    expect(code).toBe(79)
    const endedAt = Date.now()
    // A while later it would have written a later time.
    await until(() => Date.now() > endedAt + 500)
    expect(lastBeat(`${file}.descendant`)).toBeLessThan(endedAt)
  })
})

/**
 * Below a shell that stays: `script` stops along with the process that it started, and may then miss its end, as signals that
 * arrive while it is stopped become one.
 */
const inShell: CliOptions = {
  ...atTerminal,
  under: (line) => ['script', '-qefc', `${line}; exit $?`, '/dev/null'],
}

/** The processes of a group but its leader, which is the shell. */
const membersOf = (group: string): number[] =>
  execFileSync('pgrep', ['-g', group], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .flatMap((pid) => (pid === group ? [] : Number(pid)))

const ofProcess = (what: string, pid: string): string =>
  execFileSync('ps', ['-o', `${what}=`, '-p', pid], { encoding: 'utf8' }).trim()
