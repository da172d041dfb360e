import { join } from 'node:path'
import { LineProcess, Peer, type OpenOptions, type Reach } from '../../src/index.js'

const program = join(__dirname, '../workers/holdfast-peer.mjs')

/** Starts a Holdfast client that shares its objects with Redisson. */
export function startHoldfast(reach: Reach, options: OpenOptions = {}): Promise<Peer> {
  return Peer.open('Holdfast', new LineProcess('Holdfast', process.execPath, [program]), reach, options)
}
