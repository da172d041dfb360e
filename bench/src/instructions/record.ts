import { startRedis } from '@holdfast/testkit'
import type { Drive } from './drives.js'
import type { Recording } from './recording.js'
import { Tape } from './tape.js'

/** Records what clients send, on a new server that runs as usual. */
export async function record(drive: Drive): Promise<Recording> {
  const server = await startRedis()
  try {
    const tape = new Tape(server.url)
    return await tape.run(() => drive(server.url, tape))
  } finally {
    await server.stop()
  }
}
