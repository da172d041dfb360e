import fc from 'fast-check'
import { Command, Redis } from 'ioredis'
import { scriptSender } from './script-connection.js'

/** What is written for these on a connection that hands on nothing. */
function written(sha1: string, keys: string[], args: (string | number)[]): string | Buffer {
  const redis = new Redis({ lazyConnect: true })
  let text: string | Buffer = ''
  redis.sendCommand = (command) => {
    text = command.toWritable(redis)
    command.resolve('done')
  }
  void scriptSender(redis)(sha1, keys, args)
  return text
}

it('a script command is written as ioredis would write it, whatever characters are in it', () => {
  const word = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant(''))
  const words = fc.array(word, { maxLength: 8 })
  const args = fc.array(fc.oneof(word, fc.integer()), { maxLength: 8 })
  fc.assert(
    fc.property(words, args, (keys, more) => {
      const plain = new Command('evalsha', ['sha', keys.length, ...keys, ...more])
      expect(written('sha', keys, more).toString()).toBe(plain.toWritable({}).toString())
    }),
  )
})

it('a script command says which keys it has, which is how a cluster finds its node', async () => {
  const redis = new Redis({ lazyConnect: true })
  const sent: unknown[] = []
  redis.sendCommand = (command) => {
    sent.push(command.getKeys())
    command.resolve('done')
  }
  await expect(scriptSender(redis)('sha', ['a', 'b'], [1, 'x'])).resolves.toBe('done')
  expect(sent).toEqual([['a', 'b']])
})
