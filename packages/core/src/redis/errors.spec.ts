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

it('an error about any other command is passed on as it is', () => {
  const refused = replyTo('select', ['99'], 'ERR DB index is out of range')
  expect(toRedisError(refused).cause).toBe(refused)
})
