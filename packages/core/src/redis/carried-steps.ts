import type { LatchSession } from '../engine/latch.js'
import type { OperatorSession } from '../engine/operator.js'
import type { RedisCommands, RedisCommandsOptions } from './commands.js'
import type { ScriptConnection } from './connection/script-connection.js'
import type { KeySpace } from './keys.js'
import type { RedisRegistry } from './registry.js'
import type { Script } from './scripts/script.js'
import type { ServerIdentity } from './server-identity.js'

/** A session, as those see it whose steps it is to carry. */
export interface Carrier {
  readonly clientId: string
  /** Whether one server has all keys, and knows all subscribers. */
  readonly isSingle: boolean
  readonly connection: ScriptConnection
  /** The same, for scripts that the Redis user may run to the end. */
  readonly permitted: RedisCommandsOptions['connection']
  readonly steps: RedisCommands
  readonly names: KeySpace
  readonly registry: RedisRegistry
  readonly servers: ServerIdentity
  /** The channel of the client. */
  readonly channel: string
  latches: LatchSession | undefined
  operator: OperatorSession | undefined
  /** The step was carried out, but Redis refused to publish its notification. */
  onNoticeError(error: string): void
}

/** The steps of one kind of object, which that object brings along, so that programs without it do not have them. */
export class CarriedSteps {
  readonly scripts: readonly Script[]
  readonly addTo: (session: Carrier) => void

  constructor(scripts: readonly Script[], addTo: (session: Carrier) => void) {
    this.scripts = scripts
    this.addTo = addTo
  }
}
