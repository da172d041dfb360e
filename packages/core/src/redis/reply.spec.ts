import { HoldfastError, RefusedError } from '../errors/errors.js'
import { nativeCalls, RedisCommands } from './commands.js'
import { asList, numberAt, textAt } from './errors.js'
import { Script } from './scripts/script.js'

const commands = new RedisCommands({
  connection: { run: () => Promise.reject(new Error('not to be sent')) },
  calls: { lock: nativeCalls(true) },
  inbox: 'inbox',
  onNoticeError: () => undefined,
})
const call = { script: new Script('', '', '', []), keys: ['lock:a'], args: [] }

it.each([
  ['a list', "'OK'", () => asList('OK')],
  ['a number at 1', "'1'", () => numberAt([1, '1'], 1)],
  ['a number at 0', 'undefined', () => numberAt([], 0)],
  ['a string at 0', 'null', () => textAt([null], 0)],
  ['a token', "'OK'", () => commands.readAcquire('OK', call)],
  ['three numbers and a holder', "'1 x 2 y'", () => commands.readAcquire('1 x 2 y', call)],
  ['a list', 'null', () => commands.readAcquire(null, call)],
])('a reply that is not %s is reported as unexpected, and not as a refusal', (expected, got, read) => {
  let error: unknown
  try {
    read()
  } catch (thrown) {
    error = thrown
  }
  expect(error).toMatchObject({
    code: 'HOLDFAST',
    message: expect.stringContaining('unexpected reply from Redis') as unknown,
  })
  expect(error).toHaveProperty('message', expect.stringContaining(`expected ${expected}, got ${got}`))
  expect(error).toBeInstanceOf(HoldfastError)
  expect(error).not.toBeInstanceOf(RefusedError)
})
