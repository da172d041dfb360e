import { LineProcess } from '../process/line-process.js'
import { Peer, type OpenOptions, type Reach } from '../process/peer.js'
import { buildPeer } from './build-peer.js'
import type { RedissonVersion } from './versions.js'

/** Several peers share a small machine with Redis and Node.js: little memory, a serial collector, no optimizing compiler. */
const frugal = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']

/** Starts a Redisson client. Builds its program first if necessary. */
export async function startRedisson(
  version: RedissonVersion,
  reach: Reach,
  options: OpenOptions = {},
): Promise<Peer> {
  const name = `Redisson ${version}`
  const jar = await buildPeer(version)
  return Peer.open(name, new LineProcess(name, 'java', [...frugal, '-jar', jar]), reach, options)
}
