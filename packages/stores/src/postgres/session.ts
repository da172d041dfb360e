import type { EngineHost, EngineSession } from '@holdfast/core/engine'
import { addressing } from './address.js'
import { channelOf } from './channel.js'
import { PostgresCommands } from './commands.js'
import { Listener } from './connection/listener.js'
import { toPostgresError } from './errors.js'
import { LatchSteps } from './latch-steps.js'
import { PostgresLatches } from './latches.js'
import { readNotice } from './notices.js'
import { OperatorSteps } from './operator-steps.js'
import { PostgresOperator } from './operator.js'
import type { PostgresSettings } from './options.js'
import { PostgresRegistry } from './registry.js'
import { quoted } from './sql/quoted.js'
import { Steps } from './steps.js'
import { PostgresStore } from './store.js'
import { rowsPerSweep, Sweeper } from './sweeper.js'

/** The locks of one client in a PostgreSQL database. */
export class PostgresSession implements EngineSession {
  readonly store: PostgresStore
  readonly names = addressing
  readonly steps: PostgresCommands
  readonly inbox: Listener
  readonly registry: PostgresRegistry
  readonly latches: PostgresLatches
  readonly operator: PostgresOperator
  readonly #sweeper: Sweeper

  constructor(host: EngineHost, settings: PostgresSettings) {
    const { commandTimeoutMs, clientId } = host
    const { database, minReplicas } = settings
    const schema = quoted(settings.schema)
    const connectTimeoutMs = Math.min(commandTimeoutMs, 10_000)
    const channel = channelOf(clientId)
    const steps = new Steps(schema)
    const touch = (): Promise<void> => this.registry.register()
    const store = new PostgresStore({ host, settings, steps, connectTimeoutMs, touch })
    this.store = store
    this.registry = new PostgresRegistry({ host, steps, store, minReplicas })
    this.inbox = new Listener({
      database,
      channel,
      pingEveryMs: host.renewEveryMs,
      timeoutMs: connectTimeoutMs,
      send: (payload) => store.run(steps.send(channel, payload)),
      onMessage: (payload) => passOn(payload, host),
      onGap: () => host.missed(),
      onDown: (cause) => host.unsubscribed(toPostgresError(cause, database.name)),
      onDeaf: () => host.warn('NOTICE_REFUSED', deaf),
    })
    this.steps = new PostgresCommands({ steps, store, channel, inbox: this.inbox })
    this.latches = new PostgresLatches({
      clientId,
      channel,
      steps: new LatchSteps(schema),
      run: (step, timeoutMs) => store.run(step, timeoutMs),
    })
    this.operator = new PostgresOperator({
      steps: new OperatorSteps(schema),
      run: (step) => store.run(step),
    })
    this.#sweeper = new Sweeper(() => store.run(steps.sweep(rowsPerSweep)))
  }

  async prepare(): Promise<void> {
    await this.registry.register()
    this.inbox.start()
    this.#sweeper.start()
  }

  async close(): Promise<void> {
    this.#sweeper.close()
    await Promise.all([this.inbox.close(), this.store.close()])
  }
}

function passOn(payload: string, host: EngineHost): void {
  const notice = readNotice(payload)
  switch (notice?.kind) {
    case 'granted': {
      const { id, token, serverUs } = notice
      for (const { owner, leaseMs, proof } of notice.owners) {
        host.granted(id, owner, { proof, token, leaseMs, serverUs })
      }
      break
    }
    case 'revoked':
      host.revoked(notice.owner)
      break
    case 'open':
      host.opened(notice.id, notice.generation)
      break
    case 'gone':
      host.missed(notice.id)
      break
    case 'told':
      host.onMessage(notice.text)
      break
    case undefined:
  }
}

const deaf =
  'notifications do not arrive, as behind PgBouncer in transaction mode: waiters request their locks once a second, in no ' +
  'order. Give listenUrl, which leads to the same database past the pooler'
