import type { NewSize, Queue, Size } from '../sessions/index.js'
import type { Asking } from './asking.js'
import { mode, type Operation, type Requests } from './client/requests.js'
import type { Directories } from './directories.js'
import { readSize, writeSize } from './notes.js'
import type { Paths } from './paths.js'
import { entriesIn, newSizePrefix, sizePathIn } from './queue-directory.js'

const mostKnown = 1_000

interface KnownSize {
  readonly size: Omit<Size, 'isOver'>
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

  /** `null`: the node is gone since it was listed. */
  async read(path: string, timeoutMs: number): Promise<Size | null> {
    const known = await this.#find(path, timeoutMs)
    const { leaderMs = -Infinity } = this.#asking
    return known && { ...known.size, isOver: leaderMs >= known.untilMs }
  }

  async set(queue: Queue, size: NewSize, version: number, timeoutMs: number): Promise<boolean> {
    const directory = this.#paths.queue(queue)
    const found = await this.#asking.ask(this.#requests.getData(directory, false), timeoutMs)
    if (!found) {
      await this.#directories.makeAgain(queue, timeoutMs)
      return this.set(queue, size, version, timeoutMs)
    }
    const sizePath = await this.#pathOf(queue, timeoutMs)
    const before = sizePath === undefined ? null : await this.#find(sizePath, timeoutMs)
    if ((before?.size.version ?? 0) !== version) return false
    const untilMs = before?.size.id === size.id ? before.untilMs : undefined
    // The data of the directory has a version, which two resizes at once cannot both find. Writing it also wakes those that wait.
    const operations: Operation[] = [
      { kind: 'setData', path: directory, data: '', version: found.stat.version },
      {
        kind: 'create',
        path: `${directory}/${newSizePrefix()}`,
        data: writeSize({ ...size, untilMs }),
        mode: mode.persistentSequential,
      },
    ]
    if (sizePath !== undefined) operations.push({ kind: 'delete', path: sizePath })
    const { errors } = await this.#asking.ask(this.#requests.multi(operations), timeoutMs)
    return errors.every((error) => error === 0)
  }

  /** A directory that has no entry can be deleted with all that is in it, and is made again when it is needed. */
  async unset(queue: Queue, version: number, timeoutMs: number): Promise<void> {
    const directory = this.#paths.queue(queue)
    const names = await this.#namesIn(directory, timeoutMs)
    const path = sizePathIn(directory, names)
    const known = path === undefined ? null : await this.#find(path, timeoutMs)
    if (known?.size.version !== version || entriesIn(names) > 0) return
    const paths = [...names.map((name) => `${directory}/${name}`), directory]
    const operations = paths.map((each): Operation => ({ kind: 'delete', path: each }))
    await this.#asking.ask(this.#requests.multi(operations), timeoutMs)
  }

  async #pathOf(queue: Queue, timeoutMs: number): Promise<string | undefined> {
    const directory = this.#paths.queue(queue)
    return sizePathIn(directory, await this.#namesIn(directory, timeoutMs))
  }

  async #namesIn(directory: string, timeoutMs: number): Promise<readonly string[]> {
    return (await this.#asking.ask(this.#requests.getChildren(directory, false), timeoutMs)) ?? []
  }

  async #find(path: string, timeoutMs: number): Promise<KnownSize | null> {
    const known = this.#known.get(path)
    if (known) return known
    const found = await this.#asking.ask(this.#requests.getData(path, false), timeoutMs)
    const stored = found && readSize(found.data)
    if (!stored) return null
    const { untilMs = stored.size === null ? Infinity : found.stat.ctime + stored.keepMs, ...size } = stored
    const read = { size: { ...size, version: found.stat.czxid }, untilMs }
    if (this.#known.size > mostKnown) this.#known.clear()
    this.#known.set(path, read)
    return read
  }
}
