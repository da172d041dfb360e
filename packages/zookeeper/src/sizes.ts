import type { NewSize, Queue, Size } from '@holdfast/session-queue'
import type { Asking } from './asking.js'
import { mode, type Operation, type Requests } from './client/requests.js'
import type { Directories } from './directories.js'
import { readSize, writeSize } from './notes.js'
import { readDirectory, sizePrefix, type Paths } from './paths.js'

const mostKnown = 1_000

interface KnownSize {
  readonly size: Size
  /** By the leader's clock. */
  readonly untilMs: number
}

/** How many permits objects have since they were resized: a node of each, that never changes, so that it is read once. */
export class Sizes {
  readonly #asking: Asking
  readonly #requests: Requests
  readonly #paths: Paths
  readonly #directories: Directories
  readonly #known = new Map<string, KnownSize>()

  constructor(asking: Asking, requests: Requests, paths: Paths, directories: Directories) {
    this.#asking = asking
    this.#requests = requests
    this.#paths = paths
    this.#directories = directories
  }

  /** `null`: the node is gone since it was listed. One whose time is up is removed: whoever sees that first does. */
  async read(path: string, timeoutMs: number): Promise<Size | null> {
    const known = this.#known.get(path) ?? (await this.#fetch(path, timeoutMs))
    if (!known) return null
    const { leaderMs } = this.#asking
    if (leaderMs === undefined || leaderMs < known.untilMs) return known.size
    await this.#asking.ask(this.#requests.remove(path), timeoutMs)
    return null
  }

  async set(queue: Queue, size: NewSize, version: number, timeoutMs: number): Promise<Size | null> {
    const directory = this.#paths.queue(queue)
    const found = await this.#asking.ask(this.#requests.getData(directory, false), timeoutMs)
    if (!found) {
      await this.#directories.makeAgain(queue, timeoutMs)
      return this.set(queue, size, version, timeoutMs)
    }
    const names = (await this.#asking.ask(this.#requests.getChildren(directory, false), timeoutMs)) ?? []
    const { sizePath } = readDirectory(queue, directory, names)
    const before = sizePath === undefined ? null : await this.read(sizePath, timeoutMs)
    if ((before?.version ?? 0) !== version) return null
    // The data of the directory has a version, which two resizes at once cannot both find.
    const operations: Operation[] = [
      { kind: 'setData', path: directory, data: '', version: found.stat.version },
      {
        kind: 'create',
        path: `${directory}/${sizePrefix}`,
        data: writeSize(size),
        mode: mode.persistentSequential,
      },
    ]
    if (before && sizePath !== undefined) operations.push({ kind: 'delete', path: sizePath })
    const { errors, paths } = await this.#asking.ask(this.#requests.multi(operations), timeoutMs)
    const [path] = paths
    if (path === undefined || errors.some((error) => error !== 0)) return null
    return this.read(path, timeoutMs)
  }

  async #fetch(path: string, timeoutMs: number): Promise<KnownSize | null> {
    const found = await this.#asking.ask(this.#requests.getData(path, false), timeoutMs)
    const stored = found && readSize(found.data)
    if (!stored) return null
    const { size, id, holders, keepMs } = stored
    const { czxid: version, ctime } = found.stat
    const known = { size: { size, id, holders, version }, untilMs: ctime + keepMs }
    if (this.#known.size > mostKnown) this.#known.clear()
    this.#known.set(path, known)
    return known
  }
}
