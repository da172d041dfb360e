import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import type { AcquireOptions, Holdfast, Lease } from '../../src/index.js'
import { openReadyClient, openRedisClient } from './clients.js'
import { nextEvent } from './next-event.js'
import { scripts, type ScriptName } from './scripts.js'

/** What a client of a version sends: which script, on which keys, with which arguments. */
interface RecordedStep {
  readonly script: string
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/**
 * How a version talks to Redis, as it was recorded from that version. In keys, arguments and messages `<name>` is the name of the
 * lock, `<client>` the client that was recorded, and `<token>` what the grant drew.
 */
interface WireForm {
  readonly scripts: Readonly<Record<string, string>>
  readonly kinds: Readonly<Record<string, FormOfKind>>
}

interface FormOfKind {
  readonly acquire: RecordedStep
  readonly renew: RecordedStep
  readonly release: RecordedStep
  /** The message that a waiter of that version understands as its grant. */
  readonly granted: string
}

export const kinds = ['lock', 'write lock', 'read lock', 'semaphore'] as const
export type Kind = (typeof kinds)[number]

/** What all kinds have, under one name. */
interface Held {
  readonly owner: string
  release(): Promise<void>
}

interface CurrentObject {
  acquire(options?: AcquireOptions): Promise<Held>
  tryAcquire(): Promise<Held | null>
}

/** An object of that kind in a current client. */
export function objectOf(holdfast: Holdfast, kind: Kind, name: string): CurrentObject {
  if (kind === 'semaphore') {
    const semaphore = holdfast.getSemaphore(name, { permits: 1 })
    return {
      acquire: (options) => semaphore.acquire(options),
      tryAcquire: () => semaphore.tryAcquire(),
    }
  }
  const { read, write } = holdfast.getReadWriteLock(name)
  const lock = { lock: holdfast.getLock(name), 'read lock': read, 'write lock': write }[kind]
  const releasable = (lease: Lease): Held => ({ owner: lease.owner, release: () => lease.unlock() })
  return {
    acquire: (options) => lock.lock(options).then(releasable),
    tryAcquire: () => lock.tryLock().then((lease) => lease && releasable(lease)),
  }
}

const folder = join(__dirname, '../wire-forms')
const fileOf = (version: string): string => join(folder, `${version}.json`)

export const recordedVersions = readdirSync(folder).map((file) => file.replace(/\.json$/, ''))

/** Records how the current sources talk to Redis, unless that version has been recorded: a released form never changes. */
export async function recordOnce(version: string, url: string): Promise<void> {
  if (existsSync(fileOf(version))) return
  const recorded: Record<string, FormOfKind> = {}
  const used: Record<string, string> = {}
  for (const kind of kinds) {
    const form = await record(url, kind)
    for (const { script } of [form.acquire, form.renew, form.release])
      used[script] = scripts[script as ScriptName].lua
    recorded[kind] = form
  }
  writeFileSync(fileOf(version), `${JSON.stringify({ scripts: used, kinds: recorded }, null, 2)}\n`)
}

const bySha1 = new Map(Object.values(scripts).map(({ sha1, name }) => [sha1, name]))

/** What a client sends that waits for an object, is granted it, renews it and releases it. */
async function record(url: string, kind: Kind): Promise<FormOfKind> {
  const name = uniqueName('recorded')
  const [holdfast, rival] = await Promise.all([
    openReadyClient(url, { watchdogTimeoutMs: 30_000 }),
    openReadyClient(url),
  ])
  const held = await objectOf(rival, kind === 'read lock' ? 'write lock' : kind, name).acquire()
  const monitor = await openRedisClient(url).monitor()
  const plain = (text: string): string =>
    text
      .replaceAll(name, '<name>')
      .replaceAll(holdfast.clientId, '<client>')
      .replaceAll(/\b\d{16}\b/g, '<token>')
  const sent: RecordedStep[] = []
  let granted = ''
  monitor.on('monitor', (_time: string, words: string[]) => {
    const [command = '', sha1 = '', count] = words
    const script = bySha1.get(sha1)
    if (script && words.some((word) => word.includes(holdfast.clientId))) {
      const [keys, args] = [words.slice(3, 3 + Number(count)), words.slice(3 + Number(count))]
      sent.push({ script, keys: keys.map(plain), args: args.map(plain) })
    }
    // The client also hears that it has connected.
    if (command.toLowerCase() === 'publish' && words[2]?.includes(name) === true) granted = plain(words[2])
  })
  const queued = nextEvent(holdfast, 'waiting')
  const waiting = objectOf(holdfast, kind, name).acquire()
  await queued
  await held.release()
  const lease = await waiting
  await nextEvent(holdfast, 'renewed')
  await lease.release()
  const stepOf = (action: string): RecordedStep | undefined =>
    sent.find(({ script }) => script.endsWith(action))
  await until(() => stepOf('Release'))
  monitor.disconnect()
  const [acquire, renew, release] = ['Acquire', 'Renew', 'Release'].map(stepOf)
  assert(acquire && renew && release)
  return { acquire, renew, release, granted }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** A client of a version that was recorded: it sends what that version sent, and understands its messages and no others. */
export class RecordedClient {
  readonly #form: WireForm
  readonly #redis: Redis
  readonly #inbox: Redis
  readonly #id = uniqueName('recorded')
  readonly #messages: string[] = []
  #token = '0'

  constructor(version: string, url: string) {
    this.#form = JSON.parse(readFileSync(fileOf(version), 'utf8')) as WireForm
    this.#redis = openRedisClient(url)
    this.#inbox = openRedisClient(url)
    this.#inbox.on('message', (_channel, message) => this.#messages.push(message))
  }

  /** From now on the store sees that this client is alive. */
  async subscribe(): Promise<void> {
    await this.#inbox.subscribe(`holdfast:inbox:${this.#id}`)
  }

  /** Whether it was granted the object; otherwise it is in the queue. */
  async acquire(kind: Kind, name: string): Promise<boolean> {
    const reply = String(await this.#run(kind, 'acquire', name))
    if (reply.includes(' ')) return false
    this.#token = reply
    return true
  }

  /** Whether it still held the object, and so holds it for longer. */
  async renew(kind: Kind, name: string): Promise<boolean> {
    const [renewed] = (await this.#run(kind, 'renew', name)) as number[]
    return renewed === 1
  }

  async release(kind: Kind, name: string): Promise<void> {
    await this.#run(kind, 'release', name)
  }

  /** Resolves with the message of its grant, in the form of its version. */
  untilGranted(kind: Kind, name: string): Promise<string | undefined> {
    const parts = this.#formOf(kind)
      .granted.split('<token>')
      .map((text) => escaped(this.#filled(text, name)))
    const form = new RegExp(`^${parts.join(String.raw`\d{16}`)}$`)
    return until(() => this.#messages.find((message) => form.test(message)), {
      what: `a message such as ${form}`,
    })
  }

  #formOf(kind: Kind): FormOfKind {
    const form = this.#form.kinds[kind]
    assert(form)
    return form
  }

  #filled(text: string, name: string): string {
    return text.replaceAll('<name>', name).replaceAll('<client>', this.#id).replaceAll('<token>', this.#token)
  }

  #run(kind: Kind, action: 'acquire' | 'renew' | 'release', name: string): Promise<unknown> {
    const { script, keys, args } = this.#formOf(kind)[action]
    const words = [...keys, ...args].map((text) => this.#filled(text, name))
    return this.#redis.eval(this.#form.scripts[script] ?? '', keys.length, ...words)
  }
}
