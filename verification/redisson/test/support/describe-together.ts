import { isFullMatrix, uniqueName } from '@holdfast/testkit'
import {
  redissonVersions,
  startRedisson,
  type OpenOptions,
  type Peer,
  type RedissonVersion,
} from '../../src/index.js'
import { startHoldfast } from './start-holdfast.js'
import { modes, startTopology, type Mode, type Topology } from './topology.js'

export type Side = 'Redisson' | 'Holdfast'

export const directions = [
  { holding: 'Redisson', waiting: 'Holdfast' },
  { holding: 'Holdfast', waiting: 'Redisson' },
] as const satisfies readonly { holding: Side; waiting: Side }[]

/** One client of each side on one Redis, with the default lease of 30 seconds, for whose expiry no test should wait. */
export interface InteropContext {
  readonly version: RedissonVersion
  readonly mode: Mode
  readonly topology: Topology
  /** A new name. */
  readonly lock: string
  readonly peer: (side: Side) => Peer
  /** One more client. It ends with the test at the latest. */
  readonly start: (side: Side, options?: OpenOptions) => Promise<Peer>
}

interface Extent {
  /** By default a single server and a Cluster. */
  readonly on?: readonly Mode[]
  /** Whether it is what all else rests on. */
  readonly isCore?: boolean
}

/**
 * Where a key lives and what a version sends are separate matters: of the core, the newest version has all topologies, and the oldest one the
 * first; of all else, the newest version has the first.
 */
const isSampled = (version: RedissonVersion, isFirst: boolean, isCore: boolean): boolean =>
  isFullMatrix || (version === redissonVersions.newest ? isFirst || isCore : isFirst && isCore)

/** Runs the tests with a sample of versions of Redisson and topologies, and with `HOLDFAST_MATRIX=full` with all. */
export function describeTogether(
  what: string,
  tests: (context: () => InteropContext) => void,
  { on = modes, isCore = false }: Extent = {},
): void {
  const cases = Object.values(redissonVersions).flatMap((version) =>
    on.filter((_, n) => isSampled(version, n === 0, isCore)).map((mode) => ({ version, mode })),
  )
  describe.each(cases)(`${what}: Redisson $version and Holdfast on a $mode`, ({ version, mode }) => {
    let opened: Opened
    let lock: string

    beforeAll(async () => {
      opened = await Opened.open(version, mode)
    })
    afterAll(() => opened.close())
    beforeEach(() => {
      lock = uniqueName('lock')
    })
    afterEach(() => opened.endExtras())

    tests(() => opened.context(lock))
  })
}

class Opened {
  readonly #version: RedissonVersion
  readonly #mode: Mode
  readonly #topology: Topology
  readonly #peers: Partial<Record<Side, Peer>> = {}
  readonly #extras: Peer[] = []

  private constructor(version: RedissonVersion, mode: Mode, topology: Topology) {
    this.#version = version
    this.#mode = mode
    this.#topology = topology
  }

  static async open(version: RedissonVersion, mode: Mode): Promise<Opened> {
    const opened = new Opened(version, mode, await startTopology(mode))
    try {
      for (const side of ['Redisson', 'Holdfast'] as const) opened.#peers[side] = await opened.#start(side)
      return opened
    } catch (error) {
      await opened.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#peers).map((peer) => peer.close()))
    await this.#topology[Symbol.asyncDispose]()
  }

  async endExtras(): Promise<void> {
    await Promise.all(this.#extras.splice(0).map((peer) => peer.die()))
  }

  context(lock: string): InteropContext {
    return {
      version: this.#version,
      mode: this.#mode,
      topology: this.#topology,
      lock,
      peer: (side) => {
        const peer = this.#peers[side]
        if (!peer) throw new Error(`${side} is not open`)
        return peer
      },
      start: async (side, options) => {
        const peer = await this.#start(side, options)
        this.#extras.push(peer)
        return peer
      },
    }
  }

  #start(side: Side, options?: OpenOptions): Promise<Peer> {
    const { reach } = this.#topology
    return side === 'Redisson' ? startRedisson(this.#version, reach, options) : startHoldfast(reach, options)
  }
}
