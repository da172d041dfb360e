import { readFileSync } from 'node:fs'
import { Holdfast, type Lock } from '@holdfast/core'
import { sharedRedisUrl, startProxy, startRedis, uniqueName, until } from '@holdfast/testkit'
import { Cli, holdfastWords, runCli } from './support/cli.js'
import { lastBeat, testCommand, untilBeating } from './support/command.js'

const holdfast = new Holdfast({ redis: sharedRedisUrl() })
const lockOf = (name: string): Lock => holdfast.getLock(name)

afterAll(() => holdfast.close())

const node = process.execPath
const show = 'console.log(JSON.stringify(process.argv.slice(1)))'

describe('holdfast run', () => {
  it('runs a command while holding the lock, and exits with its code', async () => {
    const name = uniqueName('run')
    const script =
      'console.log(process.env.HOLDFAST_LOCK, process.env.HOLDFAST_OWNER, process.env.HOLDFAST_FENCING_TOKEN); process.exit(3)'
    const { code, stdout } = await runCli(['run', name, '--', node, '-e', script])
    expect(code).toBe(3)
    const [lock, owner, token] = stdout.trim().split(' ')
    expect(lock).toBe(name)
    expect(owner).toMatch(/^[\w-]{21}:1$/)
    expect(Number(token)).toBe((await lockOf(name).inspect()).fencingToken)
    expect(await lockOf(name).isLocked()).toBe(false)
  })

  it('passes on where the locks are, unless it is told not to', async () => {
    const store = ['HOLDFAST_REDIS_URL', 'HOLDFAST_SENTINEL_PASSWORD', 'HOLDFAST_URL']
    const others = ['HOLDFAST_FENCING_TOKEN', 'HOLDFAST_LOCK', 'HOLDFAST_OWNER', 'REPORTS']
    const env = { HOLDFAST_URL: sharedRedisUrl(), HOLDFAST_SENTINEL_PASSWORD: 'secret', REPORTS: 'daily' }
    const given = async (...options: string[]): Promise<string[]> => {
      const words = ['--', node, '-e', 'console.log(JSON.stringify(Object.keys(process.env)))']
      const { stdout } = await runCli(['run', uniqueName('run'), ...options, ...words], { env })
      const names: unknown = JSON.parse(stdout)
      return [...store, ...others].filter((name) => Array.isArray(names) && names.includes(name))
    }
    expect(await given()).toEqual([...store, ...others])
    expect(await given('--no-store-env')).toEqual(others)
  })

  it('passes arguments as they are, without a shell', async () => {
    const words = ['$HOME', '*', 'a b', "it's", '; exit 1', '--wait', '-q', '--']
    const { code, stdout } = await runCli(['run', uniqueName('run'), '--', node, '-e', show, '--', ...words])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(words)
  })

  it('leaves stdin, stdout and stderr to the command', async () => {
    const script = 'process.stdin.pipe(process.stdout); console.error("words")'
    const { stdout, stderr } = await runCli(['run', uniqueName('run'), '--', node, '-e', script], {
      input: 'from stdin',
    })
    expect(stdout).toBe('from stdin')
    expect(stderr).toBe('words\n')
  })

  it('waits for its turn', async () => {
    const name = uniqueName('run')
    const lease = await lockOf(name).lock()
    // A client that held nothing for a while registers again with its next beat.
    await until(async () => (await lockOf(name).inspect()).holder?.client)
    const waiting = new Cli(['run', name, '--', node, '-e', 'console.log("ran")'])
    await waiting.untilStderr(/waiting for lock .*, held by .*pid \d+/)
    expect(waiting.stdout).toBe('')
    await lease.unlock()
    expect(await waiting.ended()).toMatchObject({ code: 0, stdout: 'ran\n' })
  })

  it('keeps waiting when an outage begins before it knows who holds the lock', async () => {
    const name = uniqueName('run')
    const { hostname, port } = new URL(sharedRedisUrl())
    await using link = await startProxy({ host: hostname, port: Number(port) })
    const lease = await lockOf(name).lock()
    // The reply to this request would say which process the holder is.
    void link.loseReply((request) => {
      if (/^hgetall /i.test(request)) link.blackHole('both')
      return false
    })
    const waiting = new Cli(['run', '--timeout', '3s', name, '--', 'echo', 'ran'], { url: link.url })
    await waiting.untilStderr(/waiting for lock .*, held by another owner/)
    await lease.unlock()
    link.heal()
    expect(await waiting.ended()).toMatchObject({ code: 0, stdout: 'ran\n' })
  })

  it.each([
    [['--', 'true'], 'name'],
    [['--wait', '1s', '--', 'sleep', '1'], 'name'],
    [['nightly'], 'command'],
    [['nightly', '--'], 'command'],
  ])('with %j says what is missing', async (words, missing) => {
    const { code, stderr } = await runCli(['run', ...words])
    expect(stderr).toContain(`error: missing required argument '${missing}'\n`)
    expect(code).toBe(64)
  })

  it('takes a name behind -- that begins with a dash', async () => {
    expect(await runCli(['run', '--', `-${uniqueName('run')}`, 'echo', 'ran'])).toMatchObject({
      code: 0,
      stdout: 'ran\n',
    })
  })

  it('waits for a server that is down at the start', async () => {
    const server = await startRedis()
    await server.kill()
    const waiting = new Cli(['run', uniqueName('run'), '--', 'echo', 'ran'], { url: server.url })
    await waiting.untilStderr(/is unavailable: connect ECONNREFUSED .*; still waiting/)
    await server.restart()
    expect(await waiting.ended()).toMatchObject({ code: 0, stdout: 'ran\n' })
    await server.stop()
  })

  it('does not wait for a server that rejects the password, and says why once', async () => {
    const url = sharedRedisUrl().replace('redis://', 'redis://nobody:wrong@')
    const { code, stderr } = await runCli(['run', '--wait', '30s', 'nightly', '--', 'true'], { url })
    expect(stderr).toMatch(/^holdfast: lock nightly: Redis at \S+ rejected the command: .*WRONGPASS[^\n]*\n$/)
    expect(code).toBe(77)
  })

  it('gives up on a server that is down for as long as it may wait', async () => {
    const args = ['run', '--wait', '1500ms', 'nightly', '--', 'true']
    const { code, stderr } = await runCli(args, { url: 'redis://127.0.0.1:1' })
    expect(stderr).toMatch(
      /still waiting\nholdfast: could not reach the store within \d+ ms for .*is unavailable/,
    )
    expect(code).toBe(69)
  })

  it.each([
    ['60s', /^holdfast: Redis at 127\.0\.0\.1:\d+ did not reply within 3\d{3} ms for lock nightly\n$/],
    [
      '500ms',
      /^(holdfast: )lock nightly: (Redis at \S+ did not reply within )500 ms; still waiting\n(?:.*; still waiting\n){0,2}\1could not reach the store within 3\d{3} ms for lock nightly; last error: Redis at .*\n$/,
    ],
  ])(
    'gives up on a silent server when its time is up, and says once that it waits, with --timeout %s',
    async (timeout, says) => {
      await using server = await startRedis()
      await server.freeze()
      const args = ['run', '--wait', '3s', '--timeout', timeout, 'nightly', '--', 'true']
      const { code, stderr } = await runCli(args, { url: server.url })
      expect(stderr).toMatch(says)
      expect(code).toBe(69)
    },
  )

  it('says that a server may not speak TLS, before its time is up as after', async () => {
    const args = ['run', '--wait', '1s', 'nightly', '--', 'true']
    const { code, stderr } = await runCli(args, { url: sharedRedisUrl().replace('redis:', 'rediss:') })
    expect(stderr).toMatch(/no TLS connection has been established; .* begin the URL with redis:/)
    expect(code).toBe(69)
  })

  it.each([
    [['--wait', '0'], 75],
    [['--wait', '5s'], 75],
    [['-w', '0', '-E', '9'], 9],
  ])(
    'with %j does not run the command when the lock is held, and exits with %d',
    async (options, expected) => {
      const name = uniqueName('run')
      await using _lease = await lockOf(name).lock()
      const { code, stdout, stderr } = await runCli(['run', ...options, name, '--', node, '-e', show])
      expect({ code, stdout }).toEqual({ code: expected, stdout: '' })
      expect(stderr).toContain(name)
    },
  )

  it.each(['0', '100ms'])(
    'with --quiet and -E 0 gives cron nothing to mail when the lock is held: --wait %s',
    async (wait) => {
      const name = uniqueName('run')
      await using _lease = await lockOf(name).lock()
      const args = ['run', '--wait', wait, '-q', '-E', '0', name, '--', node, '-e', show]
      expect(await runCli(args, { url: sharedRedisUrl() })).toMatchObject({ code: 0, stdout: '', stderr: '' })
    },
  )

  it('does not wait for a lock that it runs under itself, however deep', async () => {
    const [outer, inner] = [uniqueName('run'), uniqueName('run')]
    const words = [outer, inner, outer].flatMap((name) => [...holdfastWords, 'run', name, '--'])
    const { code, stdout, stderr } = await runCli([...words.slice(holdfastWords.length), 'echo', 'ran'])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(`${outer} is held by a command that this one was started by`)
  })

  it.each([
    ['the command is not found', ['--', 'no-such-program-here'], {}, 127, 'no-such-program-here: not found'],
    [
      'the command is a line for a shell',
      ['--', "a && echo 'b'"],
      {},
      127,
      `-- sh -c 'a && echo '\\''b'\\'''\n`,
    ],
    ['the command sets a variable', ['--', 'A=1', 'sh'], {}, 127, "-- sh -c 'A=1 sh'\n"],
    ['the command cannot be executed', ['--', '/'], {}, 126, 'cannot be executed'],
    ['the command is below a file', ['--', `${node}/x`], {}, 126, '/x: cannot be executed (ENOTDIR)'],
    ['the command is empty', ['--', ''], {}, 126, 'an empty name: cannot be executed'],
    ['a signal ended the command', ['--', 'sh', '-c', 'kill -KILL $$'], {}, 137, ''],
    ['an option is unknown', ['--wiat', '1s', '--', 'true'], {}, 64, 'Did you mean --wait?'],
    [
      'the store is given under another name',
      ['--redis', 'redis://:secret@127.0.0.1', '--', 'true'],
      {},
      64,
      "unknown option '--redis'\n(Did you mean --url?)",
    ],
    ['an option of the command comes before --', ['sh', '-c', 'true'], {}, 64, 'go behind --'],
    ['a duration has no unit', ['--wait', '30', '--', 'true'], {}, 64, '500ms, 30s, 5m, 2h'],
    ['a code is empty', ['-E', '', '--', 'true'], {}, 64, '--conflict-exit-code must be a number'],
    ['the command is missing', [], {}, 64, "missing required argument 'command'"],
    ['no store is given', ['--', 'true'], { url: '' }, 64, 'HOLDFAST_REDIS_URL'],
    [
      'Redis is unreachable',
      ['--wait', '0', '--', 'true'],
      { url: 'redis://:secret@127.0.0.1:1' },
      69,
      'unavailable',
    ],
  ] as const)('says so by its exit code when %s', async (_, words, options, expected, text) => {
    const { code, stderr } = await runCli(['run', uniqueName('run'), ...words], options)
    expect(stderr).toContain(text)
    expect(stderr).not.toContain('secret')
    expect(code).toBe(expected)
  })

  it('says so by its exit code when Redis refuses', async () => {
    const name = uniqueName('run')
    const { code, stderr } = await runCli(['run', name, '--', 'true'], {
      url: sharedRedisUrl().replace('redis://', 'redis://nobody:wrong@'),
    })
    expect(code).toBe(77)
    expect(stderr).not.toContain('wrong@')
  })

  it('leaves the lock free when the command does not start', async () => {
    const name = uniqueName('run')
    await runCli(['run', name, '--', 'no-such-program-here'])
    expect(await lockOf(name).isLocked()).toBe(false)
  })

  it('renews the lock for as long as the command runs', async () => {
    const name = uniqueName('run')
    const { words, file } = await testCommand()
    // A machine under load may stall the runner for longer than a shorter lease.
    const runner = new Cli(['run', '--lease', '6s', name, '--', ...words])
    const startedAt = await untilBeating(file)
    await until(() => lastBeat(file) > startedAt + 7_000)
    expect(await lockOf(name).isLocked()).toBe(true)
    runner.kill('SIGTERM')
    expect(await runner.ended()).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(['ends by itself', 'is stopped'])(
    'keeps the lock for the time of --at-least if the command %s before',
    async (how) => {
      const name = uniqueName('run')
      const { words, file } = await testCommand()
      const isStopped = how === 'is stopped'
      const runner = new Cli(['run', '--at-least', '60s', name, '--', ...(isStopped ? words : ['true'])])
      if (isStopped) {
        await untilBeating(file)
        runner.kill('SIGTERM')
      }
      expect((await runner.ended()).code).toBe(0)
      // The lease of 30 s ends before.
      expect(await lockOf(name).remainingMs()).toBeGreaterThan(35_000)
      const { code } = await runCli(['run', '--wait', '0s', '--at-least', '60s', name, '--', 'true'])
      expect(code).toBe(75)
      expect(await lockOf(name).forceUnlock()).toBe(true)
    },
  )

  it('a wait that ends by a signal, or a runner that is killed, keeps nothing for the time of --at-least', async () => {
    const name = uniqueName('run')
    const { words, file } = await testCommand()
    const atLeast = ['run', '--lease', '2s', '--at-least', '60s', name, '--']
    const runner = new Cli([...atLeast, ...words])
    await untilBeating(file)
    const waiting = new Cli([...atLeast, 'true'])
    await until(async () => (await lockOf(name).inspect()).waiterCount === 1)
    waiting.kill('SIGTERM')
    expect((await waiting.ended()).code).toBe(143)
    runner.kill('SIGKILL')
    await until(async () => !(await lockOf(name).isLocked()))
  })

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    '%s ends a wait, and the queue entry with it',
    async (signal) => {
      const name = uniqueName('run')
      const lease = await lockOf(name).lock()
      const waiting = new Cli(['run', name, '--', 'true'])
      await until(async () => (await lockOf(name).inspect()).waiterCount === 1)
      waiting.kill(signal)
      const numbers = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 }
      expect((await waiting.ended()).code).toBe(numbers[signal])
      await until(async () => (await lockOf(name).inspect()).waiterCount === 0)
      await lease.unlock()
    },
  )

  it('forwards signals to the whole process group of the command', async () => {
    const { words, file } = await testCommand()
    // The shell is the command; what it started gets the signals as well.
    const runner = new Cli([
      'run',
      uniqueName('run'),
      '--',
      'sh',
      '-c',
      `trap "" USR1 USR2 HUP INT; "$@"; exit 5`,
      'sh',
      ...words,
    ])
    await untilBeating(file)
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGHUP', 'SIGINT'] as const) {
      runner.kill(signal)
      await runner.untilStdout(new RegExp(`^${signal}$`, 'm'))
    }
    runner.kill('SIGTERM')
    const { code, stdout } = await runner.ended()
    expect(code).toBe(143)
    expect(stdout.match(/^SIG\w+$/gm)?.sort()).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'])
  })

  it('stops the command when the lock was evicted', async () => {
    const name = uniqueName('run')
    const { words, file } = await testCommand()
    const runner = new Cli(['run', name, '--', ...words])
    await untilBeating(file)
    await lockOf(name).forceUnlock()
    const { code, stderr, stdout } = await runner.ended()
    expect(stderr).toContain('stopping the command')
    expect(stdout).toContain('SIGTERM')
    expect(code).toBe(79)
  })

  it('tells the command by fd 3 when the runner dies', async () => {
    const { words, file } = await testCommand('ignore-term', 'watch-fd-3')
    // With the default lease the guard leaves it 5 s to write that down.
    const runner = new Cli(['run', uniqueName('run'), '--', ...words])
    await untilBeating(file)
    runner.kill('SIGKILL')
    await until(() => readFileSync(`${file}.fd3`, 'utf8') === 'closed')
  })
})
