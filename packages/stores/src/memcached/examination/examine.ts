import type { Examination, Finding } from '@holdfast/core/engine'
import { Client } from '../client/client.js'
import { readClock, type ClockReading } from '../clock-key.js'
import { flagOf } from '../commands.js'
import { toMemcachedError } from '../errors.js'
import { Greeting, type ServerWord } from '../greeting.js'
import type { MemcachedSettings } from '../options.js'
import { onCas, onData, onEvictions, onMemory, onUsers, onVersion } from './findings.js'

/** Looks at a server for those who run it: see `LockEngine.examine`. Writes nothing. */
export async function examine(
  settings: MemcachedSettings,
  { timeoutMs }: Examination,
): Promise<readonly Finding[]> {
  const { endpoint, prefix, user } = settings
  const greeting = new Greeting(user)
  let word: ServerWord = { version: '', settings: new Map() }
  const client = new Client(
    { endpoint, silenceMs: timeoutMs },
    {
      greet: async (connection, greetingMs) => void (word = await greeting.introduce(connection, greetingMs)),
      connected: () => undefined,
      broken: () => undefined,
    },
  )
  try {
    const { replies } = await client.send(['stats\r\n', `mg ${prefix}clock v t\r\n`], timeoutMs)
    const [stats, clockReply] = replies
    const clock: ClockReading | undefined =
      clockReply?.code === 'VA' ? readClock(clockReply.value, Number(flagOf(clockReply, 't'))) : undefined
    const counts = stats?.stats ?? new Map<string, string>()
    return [
      onVersion(word),
      onCas(word.settings),
      onEvictions(word.settings, counts),
      onMemory(word.settings, counts),
      onData(clock, counts),
      onUsers(word.settings, user !== undefined),
    ]
  } catch (error) {
    throw toMemcachedError(error, `memcached at ${endpoint.name}`)
  } finally {
    client.close()
  }
}
