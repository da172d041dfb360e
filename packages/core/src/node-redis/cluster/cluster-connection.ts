import { EventEmitter } from 'node:events'
import type { ClusterConnection, RedisAddress } from '../../index.js'
import calculateSlot from 'cluster-key-slot'
import type { Connection } from '../connection/connection.js'
import { hashOf } from '../connection/hash.js'
import { Unsent } from '../connection/unsent.js'
import { addressText } from '../link/address-map.js'
import { ConnectionLostError, toError } from '../link/errors.js'
import type { LinkSettings } from '../link/link.js'
import { ClusterNodes } from './cluster-nodes.js'
import type { ClusterWays } from './cluster-ways.js'
import { redirectOf } from './redirect.js'

export interface ClusterConnectionOptions {
  readonly ways: ClusterWays
  readonly settings: LinkSettings
  readonly reconnectAfterMs: (attempt: number) => number
}

type Word = string | number

/** A command may be sent to so many nodes until one has its slot. */
const maxHops = 5

/** Connections to the masters of a cluster. A command goes to the one that has the slot of its key. */
export class NodeRedisCluster extends EventEmitter implements ClusterConnection {
  status: 'wait' | 'connecting' | 'ready' | 'close' | 'reconnecting' | 'end' = 'wait'
  slots: (readonly string[] | undefined)[] = []
  readonly #options: ClusterConnectionOptions
  readonly #nodes: ClusterNodes
  readonly #unsent: Unsent<undefined>
  readonly #closing = new AbortController()
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  /** How often the slots have been looked up in vain or too early since all nodes were ready; `undefined` while no look-up is due. */
  #lookups: number | undefined

  constructor(options: ClusterConnectionOptions) {
    super()
    const { ways, settings } = options
    this.#options = options
    this.#unsent = new Unsent(settings.connectTimeoutMs)
    this.#nodes = new ClusterNodes((address) => ways.connectionTo(address, settings), {
      onReady: (node) => this.emit('+node', node),
      onGone: (node, isBroken) => {
        this.emit('-node', node)
        if (isBroken) this.#lookUpSoon()
      },
      onError: (error, address) => this.emit('node error', error, address),
    })
  }

  nodes(_role: 'master'): Connection[] {
    return this.#nodes.all()
  }

  disconnect(): void {
    clearTimeout(this.#timer)
    if (this.status === 'end') return
    this.status = 'end'
    this.#closing.abort()
    this.#nodes.disconnect()
    this.#unsent.reject(new ConnectionLostError())
    setImmediate(() => {
      this.emit('close')
      this.emit('end')
    })
  }

  evalsha(sha1: string, keyCount: number, ...more: Word[]): Promise<unknown> {
    return this.#send(String(more[0]), ['EVALSHA', sha1, String(keyCount), ...more.map(String)])
  }

  eval(lua: string, keyCount: number, ...more: Word[]): Promise<unknown> {
    return this.#send(String(more[0]), ['EVAL', lua, String(keyCount), ...more.map(String)])
  }

  async hgetall(key: string): Promise<Record<string, string>> {
    return hashOf(await this.#send(key, ['HGETALL', key]))
  }

  wait(): Promise<number> {
    return Promise.reject(withoutKey('WAIT'))
  }

  call(command: string): Promise<unknown> {
    return Promise.reject(withoutKey(command))
  }

  #send(key: string, words: readonly string[]): Promise<unknown> {
    const slot = calculateSlot(key)
    if (this.status === 'ready') return this.#route(slot, words)
    if (this.status === 'end') return Promise.reject(new ConnectionLostError())
    const sent = this.#unsent.add(() => this.#route(slot, words))
    if (this.status === 'wait') void this.#start()
    return sent
  }

  async #route(slot: number, words: readonly string[]): Promise<unknown> {
    const [master = ''] = this.slots[slot] ?? []
    let node = this.#nodes.at(master)
    let isAsked = false
    for (let hops = 0; ; hops++) {
      if (!node) {
        this.#lookUpSoon()
        throw new ConnectionLostError(new Error('no node is known that has this slot'))
      }
      try {
        return await (isAsked ? node.asking(words) : node.send(words))
      } catch (error) {
        const { host = '', port = 0 } = node.options
        const redirect = redirectOf(error, { host, port })
        if (!redirect || hops >= maxHops || this.#isOver()) throw error
        const to = this.#options.ways.reach(redirect.to)
        node = this.#nodes.reach(to)
        isAsked = redirect.kind === 'ASK'
        if (!isAsked) this.#learn(slot, to)
      }
    }
  }

  #learn(slot: number, { host, port }: RedisAddress): void {
    this.slots[slot] = [addressText({ host, port })]
    this.#lookUpSoon()
  }

  #isOver(): boolean {
    return this.status === 'end'
  }

  async #start(): Promise<void> {
    this.status = 'connecting'
    this.emit('connecting')
    try {
      await this.#lookUp()
    } catch (thrown) {
      if (!this.#isOver()) this.#fail(toError(thrown))
      return
    }
    if (this.#isOver()) return
    this.#failures = 0
    this.status = 'ready'
    this.emit('ready')
    this.#unsent.sendOn(undefined)
  }

  #fail(error: Error): void {
    this.status = 'close'
    this.emit('close')
    if (this.listenerCount('error') > 0) this.emit('error', error)
    this.#unsent.reject(new ConnectionLostError(error))
    if (this.#isOver()) return
    this.status = 'reconnecting'
    this.#timer = setTimeout(() => void this.#start(), this.#options.reconnectAfterMs(++this.#failures))
  }

  async #lookUp(): Promise<void> {
    const { ways, settings } = this.#options
    const known = this.#nodes
      .all()
      .flatMap(({ options: { host, port } }) =>
        host === undefined || port === undefined ? [] : [{ host, port }],
      )
    const report = (error: Error, address: string): boolean => this.emit('node error', error, address)
    const { slots, masters } = await ways.findSlots(known, settings, report, this.#closing.signal)
    if (this.#isOver()) return
    this.slots = slots
    this.#nodes.adopt(masters)
    this.emit('refresh')
  }

  /** Unless it is about to happen anyway. */
  #lookUpSoon(): void {
    if (this.status !== 'ready' || this.#lookups !== undefined) return
    this.#lookups = 0
    void this.#lookUpAgain()
  }

  /** Until all nodes that are said to be masters are connected: a cluster takes a while to agree on a new one. */
  async #lookUpAgain(): Promise<void> {
    await this.#lookUp().catch(() => undefined)
    if (this.#isOver() || this.#lookups === undefined) return
    const afterMs = this.#options.reconnectAfterMs(++this.#lookups)
    this.#timer = setTimeout(() => {
      if (this.#nodes.all().length > 0 && this.#nodes.areReady) this.#lookups = undefined
      else void this.#lookUpAgain()
    }, afterMs)
  }
}

/** Nothing says which of the nodes it is for: those have these methods, too. */
const withoutKey = (command: string): Error =>
  new Error(`${command} has no key that leads to a node of the cluster`)
