import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import type { Cluster, Redis } from 'ioredis'
import { ExitError, exitCodes } from '../exit-codes.js'
import { say } from '../output/terminal.js'
import { engineKindOf, openEngine } from './engines.js'
import { redisTemplate } from './redis-template.js'
import type { StoreOptions } from './store-options.js'

/** Where the locks are. */
export type Store =
  | {
      readonly kind: 'redis'
      /** Never connects; connections are duplicates of it. */
      readonly template: Redis | Cluster
      readonly prefix: string | undefined
      readonly keyPrefix: string
      readonly timeoutMs: number
    }
  | { readonly kind: 'engine'; readonly engine: LockEngine; readonly timeoutMs: number }

/** @throws `ExitError` for options that are missing or do not fit */
export async function openStore(given: StoreOptions): Promise<Store> {
  const options = fromEnvironment(given)
  const { url, prefix, keyPrefix, timeout: timeoutMs } = options
  if (timeoutMs === 0) throw new ExitError('--timeout must be longer than 0', exitCodes.usage)
  const engineKind = url === undefined ? undefined : engineKindOf(url)
  if (url !== undefined && engineKind) {
    refuseOthers(engineKind.store, options, engineKind.options)
    return { kind: 'engine', engine: await openEngine(engineKind, url, options), timeoutMs }
  }
  refuseOthers('Redis', options, redisOptions)
  const template = redisTemplate(options)
  return { kind: 'redis', template, prefix, keyPrefix: keyPrefix ?? '', timeoutMs }
}

/** With the URL of the environment. An empty variable is as good as none. */
export function fromEnvironment({
  url,
  cluster,
  sentinel,
  sentinels,
  ...others
}: StoreOptions): StoreOptions {
  const { HOLDFAST_URL, HOLDFAST_REDIS_URL } = process.env
  const found = url ?? (HOLDFAST_URL || HOLDFAST_REDIS_URL)
  return {
    ...others,
    ...(found && { url: found.replace(/^[a-z+]+:/i, (scheme) => scheme.toLowerCase()) }),
    ...(cluster && { cluster }),
    ...(sentinel && { sentinel }),
    ...(sentinels && { sentinels }),
  }
}

const redisOptions = ['cluster', 'sentinel', 'sentinels', 'prefix', 'keyPrefix'] as const
const optionsOfSomeStore = [...redisOptions, 'schema', 'tables', 'minReplicas', 'table'] as const

/** @param own - the options that apply to the store */
function refuseOthers(store: string, options: StoreOptions, own: readonly (keyof StoreOptions)[]): void {
  const superfluous = optionsOfSomeStore.find((name) => options[name] !== undefined && !own.includes(name))
  if (superfluous === undefined) return
  const flag = superfluous.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new ExitError(`--${flag} does not apply to ${store}`, exitCodes.usage)
}

/** A client of the store. The caller closes it. */
export function openClient(store: Store, options: ClientOptions): Holdfast {
  const all = { commandTimeoutMs: store.timeoutMs, ...options }
  const holdfast =
    store.kind === 'engine'
      ? new Holdfast({ ...all, engine: store.engine })
      : new Holdfast({ ...all, redis: store.template, prefix: store.prefix })
  // What fails for good rejects a call as well; what does not is worth no stack trace on stderr.
  holdfast.on('error', () => undefined)
  // Each connection examines its server.
  const said = new Set<string>()
  holdfast.on('warning', ({ message }) => {
    if (!said.has(message)) say(message)
    said.add(message)
  })
  return holdfast
}
