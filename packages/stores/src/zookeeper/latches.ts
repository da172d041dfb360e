import { UnavailableError } from '@holdfast/core/engine'
import type { LatchNames, LatchStore, NewLatch, StoredLatch } from '../sessions/index.js'
import type { Asking } from './asking.js'
import { code, engineName } from './client/errors.js'
import { mode, type Operation, type Requests } from './client/requests.js'
import type { Directories } from './directories.js'
import { readLatch, writeLatch } from './notes.js'
import { decode, waitersIn, type LatchPaths, type Paths } from './paths.js'

export interface LatchesDeps {
  readonly asking: Asking
  readonly requests: Requests
  readonly paths: Paths
  readonly directories: Directories
  readonly clientId: string
  /** How long those that wait say that they do, at the least. */
  readonly waitMs: number
}

const mostAttempts = 4
/** How many nodes are deleted with one request. */
const mostAtOnce = 500

/** A latch, as it was read. */
class ZooKeeperLatch implements StoredLatch {
  readonly text: string
  readonly version: number
  readonly round: string
  /** That of the node's data. */
  readonly dataVersion: number
  readonly keepMs: number
  /** By the leader's clock. */
  readonly untilMs: number
  readonly isClosed: boolean

  constructor(latch: NewLatch, version: number, dataVersion: number, usedAtMs: number) {
    this.text = latch.text
    this.round = latch.round
    this.isClosed = latch.isClosed
    this.keepMs = latch.keepMs
    this.version = version
    this.dataVersion = dataVersion
    this.untilMs = usedAtMs + latch.keepMs
  }
}

/** Latches in ZooKeeper. Each use writes the directory of the latch, whose time then says when its time is up, by the leader's clock. */
export class ZooKeeperLatches implements LatchStore {
  readonly #deps: LatchesDeps

  constructor(deps: LatchesDeps) {
    this.#deps = deps
  }

  async read(name: string, timeoutMs: number): Promise<ZooKeeperLatch | null> {
    const { asking, requests } = this.#deps
    const { directory, state } = this.#pathsOf(name)
    const [found, used] = await Promise.all([
      asking.ask(requests.getData(state, false), timeoutMs),
      asking.ask(requests.getData(directory, false), timeoutMs),
    ])
    const latch = found && used && readLatch(found.data)
    if (!latch) return null
    const { mzxid, version } = found.stat
    const read = new ZooKeeperLatch(latch, mzxid, version, used.stat.mtime)
    if ((asking.leaderMs ?? -Infinity) < read.untilMs) return read
    await this.#remove(name, read, timeoutMs)
    return null
  }

  /** One that is not there is seen among the children of the directory. */
  async watch(name: string, callback: () => void, timeoutMs: number): Promise<() => void> {
    const { asking, directories, requests } = this.#deps
    const { directory, state } = this.#pathsOf(name)
    const data = asking.watch('data', state, () => both())
    const children = asking.watch('children', directory, () => both())
    const stop = (): void => {
      data.stop()
      children.stop()
    }
    const both = (): void => {
      stop()
      callback()
    }
    try {
      if (await asking.ask(requests.getData(state, true), timeoutMs)) {
        children.stop()
        return stop
      }
      data.stop()
      for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
        const names = await asking.ask(requests.getChildren(directory, true), timeoutMs)
        if (names?.includes('state')) children.fire()
        if (names) return stop
        await directories.makeAgain({ name, object: 'latch' }, timeoutMs)
      }
      throw this.#removedAgain(directory)
    } catch (error) {
      stop()
      throw error
    }
  }

  async write(name: string, read: StoredLatch | null, latch: NewLatch, timeoutMs: number): Promise<boolean> {
    const { asking, directories, requests, waitMs } = this.#deps
    const { closed, directory, parties, state } = this.#pathsOf(name)
    const before = read instanceof ZooKeeperLatch ? read : null
    const data = writeLatch({ ...latch, keepMs: Math.max(latch.keepMs, 2 * waitMs) })
    const isNewRound = before?.round !== latch.round
    const operations: Operation[] = [
      { kind: 'setData', path: directory, data: '' },
      before
        ? { kind: 'setData', path: state, data, version: before.dataVersion }
        : { kind: 'create', path: state, data, mode: mode.persistent },
    ]
    if (isNewRound)
      operations.push({ kind: 'create', path: parties(latch.round), data: '', mode: mode.persistent })
    if (latch.isClosed && !before?.isClosed)
      operations.push({ kind: 'create', path: closed, data: '', mode: mode.persistent })
    if (!latch.isClosed && before?.isClosed) operations.push({ kind: 'delete', path: closed })
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      const { errors } = await asking.ask(requests.multi(operations), timeoutMs)
      if (errors.every((error) => error === 0)) {
        if (before && (isNewRound || !latch.isClosed)) this.#clear(parties(before.round), timeoutMs)
        return true
      }
      if (errors[0] !== code.noNode) return false
      await directories.makeAgain({ name, object: 'latch' }, timeoutMs)
    }
    throw this.#removedAgain(directory)
  }

  async count(
    name: string,
    read: StoredLatch,
    round: string,
    party: string,
    timeoutMs: number,
  ): Promise<number | null> {
    if (!(read instanceof ZooKeeperLatch)) return null
    const { asking, requests } = this.#deps
    const { parties, party: pathOf, state } = this.#pathsOf(name)
    const operations: Operation[] = [
      { kind: 'check', path: state, version: read.dataVersion },
      { kind: 'create', path: pathOf(round, party), data: '', mode: mode.persistent },
    ]
    const [{ errors }, counted] = await Promise.all([
      asking.ask(requests.multi(operations), timeoutMs),
      asking.ask(requests.getData(parties(round), false), timeoutMs),
    ])
    const isThere = errors[1] === 0 || errors[1] === code.nodeExists
    return isThere && counted ? counted.stat.childCount : null
  }

  async parties(name: string, round: string, limit: number, timeoutMs: number): Promise<LatchNames> {
    const { asking, requests } = this.#deps
    const path = this.#pathsOf(name).parties(round)
    if (limit > 1) {
      const names = (await asking.ask(requests.getChildren(path, false), timeoutMs)) ?? []
      return { count: names.length, some: names.slice(0, limit).map((each) => decode(each) ?? each) }
    }
    const found = await asking.ask(requests.getData(path, false), timeoutMs)
    return { count: found?.stat.childCount ?? 0, some: [] }
  }

  async keep(name: string, _read: StoredLatch, timeoutMs: number): Promise<void> {
    const { asking, requests } = this.#deps
    const stat = await asking.ask(requests.setData(this.#pathsOf(name).directory, ''), timeoutMs)
    asking.learnTime(stat?.mtime)
  }

  leftMs(_name: string, read: StoredLatch): Promise<number> {
    if (!(read instanceof ZooKeeperLatch)) return Promise.resolve(0)
    const leftMs = Math.ceil(read.untilMs - (this.#deps.asking.leaderMs ?? 0))
    return Promise.resolve(Math.min(Math.max(0, leftMs), read.keepMs))
  }

  async attend(name: string, isWaiting: boolean, timeoutMs: number): Promise<void> {
    const { asking, clientId, directories, requests } = this.#deps
    const { directory, waiter } = this.#pathsOf(name)
    const path = waiter(clientId)
    if (!isWaiting) {
      await asking.ask(requests.remove(path), timeoutMs)
      return
    }
    if (!(await asking.ask(requests.getData(directory, false), timeoutMs)))
      await directories.makeAgain({ name, object: 'latch' }, timeoutMs)
    await directories.makeEphemeral(path, '', timeoutMs)
  }

  async waiters(name: string, limit: number, timeoutMs: number): Promise<LatchNames> {
    const { asking, requests } = this.#deps
    const { directory } = this.#pathsOf(name)
    const names = waitersIn((await asking.ask(requests.getChildren(directory, false), timeoutMs)) ?? [])
    return { count: names.length, some: names.slice(0, limit) }
  }

  async #remove(name: string, read: ZooKeeperLatch, timeoutMs: number): Promise<void> {
    const { asking, requests } = this.#deps
    const { closed, parties, state } = this.#pathsOf(name)
    const operations: Operation[] = [{ kind: 'delete', path: state, version: read.dataVersion }]
    if (read.isClosed) operations.push({ kind: 'delete', path: closed })
    const { errors } = await asking.ask(requests.multi(operations), timeoutMs)
    if (errors.every((error) => error === 0)) this.#clear(parties(read.round), timeoutMs)
  }

  /** Nobody counts there any more. What is left if it fails keeps the directory, and nothing else. */
  #clear(path: string, timeoutMs: number): void {
    const { asking, requests } = this.#deps
    const clear = async (): Promise<void> => {
      const names = (await asking.ask(requests.getChildren(path, false), timeoutMs)) ?? []
      for (let at = 0; at < names.length; at += mostAtOnce) {
        const some = names.slice(at, at + mostAtOnce)
        const deletions = some.map((each): Operation => ({ kind: 'delete', path: `${path}/${each}` }))
        await asking.ask(requests.multi(deletions), timeoutMs)
      }
      await asking.ask(requests.remove(path), timeoutMs)
    }
    clear().catch(() => undefined)
  }

  #pathsOf(name: string): LatchPaths {
    return this.#deps.paths.latch(name)
  }

  #removedAgain(path: string): UnavailableError {
    const text = `${this.#deps.asking.name}: ${path} is removed again and again`
    return new UnavailableError(text, { engine: engineName })
  }
}
