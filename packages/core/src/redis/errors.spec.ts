import { inspect } from 'node:util'
import { toRedisError } from './errors.js'

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
    /it has no such user, or another password: /,
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

it('an error about any other command is passed on as it is', () => {
  const refused = replyTo('select', ['99'], 'ERR DB index is out of range')
  expect(toRedisError(refused).cause).toBe(refused)
})
