import { inspect } from 'node:util'
import { isPermissionError, isReplyError } from '@holdfast/pubsub'
import { hasCode, toRedisError, withMeaning } from './errors.js'

/** An error reply as ioredis has it. */
const replyTo = (name: string, args: unknown[], message: string): Error =>
  Object.assign(new Error(message), { name: 'ReplyError', command: { name, args } })

it.each([
  ['AUTH', replyTo('auth', ['locks', 's3cret'], 'WRONGPASS invalid username-password pair')],
  ['HELLO', replyTo('hello', ['3', 'AUTH', 'locks', 's3cret'], 'WRONGPASS invalid username-password pair')],
])('an error about %s keeps its reply, but not the password', (_, refused) => {
  const error = toRedisError(refused)
  expect(error).toMatchObject({ code: 'REFUSED', cause: { name: 'ReplyError', message: refused.message } })
  expect(inspect(error, { depth: null })).not.toContain('s3cret')
})

it.each([
  [
    'MOVED 15384 127.0.0.1:46017',
    /a node of a Redis Cluster: pass a Cluster of ioredis, .* \(MOVED 15384 127\.0\.0\.1:46017\)$/,
  ],
  [
    'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used',
    /it needs a password: .*, or unix:\/path\?username=user&password=password \(NOAUTH HELLO must be called with the client already authenticated\)$/,
  ],
  [
    'WRONGPASS invalid username-password pair or user is disabled.',
    /user name or password is wrong; where only a password is set, leave out the user/,
  ],
  [
    'ERR AUTH <password> called without any password configured for the default user.',
    /it has no password: /,
  ],
  [
    'Unknown RESP type 72 "H". Please report this.',
    /does not speak the Redis protocol: .* \(Unknown RESP type 72 "H"\)$/,
  ],
  ['ERR DB index is out of range', /it has no such database: .* \(ERR DB index is out of range\)$/],
  ['ERR SELECT is not allowed in cluster mode', /node of a Redis Cluster, which has database 0 only/],
  ['Protocol error, got "H" as reply type byte', /does not speak the Redis protocol: check host and port/],
  ['Unknown RESP type 21 "\u0015". Please report this.', /it speaks TLS: begin the URL with rediss:/],
])('the reply %j is explained', (reply, message) =>
  expect(toRedisError(replyTo('hello', [], reply), 'Redis at a:1').message).toMatch(message),
)

/** As Redis 6.2.11 words what happened inside a script, and what `redis.pcall` returned. */
const called = (said: string): string =>
  `ERR Error running script (call to f_ee5bed0f6963e93a14eebfb64f07c299c1b4313f): @user_script:199: ${said}`
const passedOn = (said: string): string => `@user_script: 199: ${said}`

describe.each([
  ['Redis 6.2, called', (said: string) => called(passedOn(`-${said}`))],
  ['Redis 6.2, passed on', (said: string) => passedOn(`-${said}`)],
  [
    'Redis 7.0',
    (said: string) => `${said} script: ee5bed0f6963e93a14eebfb64f07c299c1b4313f, on @user_script:1.`,
  ],
  ['outside of scripts', (said: string) => said],
])('an error reply of %s', (_, worded) => {
  it.each([
    ["READONLY You can't write against a read only replica.", "READONLY You can't write"],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'it has reached its maxmemory'],
    ['MISCONF Errors writing to the AOF file: File too large', 'it cannot save its data'],
    [
      'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk. Commands that may …',
      'it cannot save its data',
    ],
    ['NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS Not enough'],
    ['LOADING Redis is loading the dataset in memory', 'LOADING Redis is loading'],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'MASTERDOWN Link'],
    ['UNBLOCKED force unblock from blocking operation, instance state changed', 'UNBLOCKED force'],
  ])('is taken for temporary: %s', (said, message) => {
    const error = toRedisError(replyTo('evalsha', [], worded(said)))
    expect(error.code).toBe('UNAVAILABLE')
    expect(error.message).toContain(`Redis is unavailable: ${message}`)
    expect(hasCode(error, said.split(' ')[0] ?? '')).toBe(true)
    expect(error.message).not.toMatch(/user_script|script:/)
  })

  it('is one of the server even where a minifier has renamed its class', () => {
    const error = Object.assign(new Error(worded('OOM command not allowed')), {
      command: { name: 'evalsha' },
    })
    expect(isReplyError(error)).toBe(true)
  })
})

describe.each([
  ['Redis 6.2', (said: string) => called(passedOn(said))],
  [
    'Redis 7.0',
    (said: string) => `ERR ${said} script: ee5bed0f6963e93a14eebfb64f07c299c1b4313f, on @user_script:1.`,
  ],
])('a permission that a script lacks on %s', (_, worded) => {
  it('is one, although it has no code', () => {
    const text = worded("The user executing the script can't run this command or subcommand")
    const error = toRedisError(replyTo('evalsha', [], text))
    expect(error.code).toBe('REFUSED')
    expect(hasCode(error, 'NOPERM')).toBe(true)
    expect(isPermissionError(new Error(text))).toBe(true)
  })

  it('to publish is named with the channel to grant', () =>
    expect(
      withMeaning(
        worded("The user executing the script can't publish to the channel mentioned in the command"),
      ),
    ).toMatch(/grant &holdfast:inbox:\*.* \(NOPERM The user executing the script can't publish/))
})

it('what a script itself does wrong is a refusal, with its place', () => {
  const error = toRedisError(replyTo('evalsha', [], called('user_script:199: attempt to index a nil value')))
  expect(error).toMatchObject({ code: 'REFUSED' })
  expect(error.message).toContain('@user_script:199: user_script:199: attempt to index a nil value')
})

it.each([
  'NOPERM this user has no permissions to access one of the keys used as arguments',
  'NOPERM No permissions to access a key',
  called(
    passedOn(
      "The user executing the script can't access at least one of the keys mentioned in the command arguments",
    ),
  ),
])('a key that the user may not use is named with what to grant: %s', (reply) => {
  const used = { key: 'shop:lock:x', patterns: '~shop:lock:* ~{shop:lock:*' }
  expect(toRedisError(replyTo('evalsha', [], reply), 'Redis at a:1', used).message).toMatch(
    /its user may not use shop:lock:x or a key beside it: grant ~shop:lock:\* ~\{shop:lock:\* \(NOPERM /,
  )
})

it('too many clients are temporary, and said with what to do', () =>
  expect(toRedisError(replyTo('hello', [], 'ERR max number of clients reached'))).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/it has reached its maxclients: raise that/) as string,
  }))

it('an error about any other command is passed on as it is', () => {
  const refused = replyTo('select', ['99'], 'ERR DB index is out of range')
  expect(toRedisError(refused).cause).toBe(refused)
})
