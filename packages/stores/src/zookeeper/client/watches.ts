import { Writer } from './jute.js'
import { op } from './requests.js'

/** What is watched of a node: its data and existence, or its children and existence. */
export type WatchKind = 'data' | 'children'

/** What a server says has happened to a node. */
export const eventType = { deleted: 2, dataChanged: 3, childrenChanged: 4 } as const

/** A server refuses frames of more than a megabyte. */
const mostBytes = 100_000

/** Callbacks for events that a server sends once. */
export class Watches {
  readonly #byPath: Readonly<Record<WatchKind, Map<string, Set<() => void>>>> = {
    data: new Map(),
    children: new Map(),
  }

  /** Returns what forgets the callback. The server may still send the event, to no one. */
  add(kind: WatchKind, path: string, callback: () => void): () => void {
    const byPath = this.#byPath[kind]
    const callbacks = byPath.get(path) ?? new Set()
    byPath.set(path, callbacks.add(callback))
    return () => {
      if (callbacks.delete(callback) && callbacks.size === 0 && byPath.get(path) === callbacks) {
        byPath.delete(path)
      }
    }
  }

  onEvent(type: number, path: string): void {
    if (type !== eventType.childrenChanged) this.#fire('data', path)
    if (type === eventType.childrenChanged || type === eventType.deleted) this.#fire('children', path)
  }

  /** In another session none of them is watched any more. */
  fireAll(): void {
    for (const kind of ['data', 'children'] as const) {
      for (const path of [...this.#byPath[kind].keys()]) this.#fire(kind, path)
    }
  }

  /** Requests that have another server of the same session watch, and send what happened since that transaction. */
  frames(xid: number, sinceZxid: bigint): Buffer[] {
    return (['data', 'children'] as const).flatMap((kind) =>
      inParts([...this.#byPath[kind].keys()]).map((paths) =>
        new Writer()
          .int(xid)
          .int(op.setWatches)
          .long(sinceZxid)
          .texts(kind === 'data' ? paths : [])
          .texts([])
          .texts(kind === 'children' ? paths : [])
          .frame(),
      ),
    )
  }

  #fire(kind: WatchKind, path: string): void {
    const callbacks = this.#byPath[kind].get(path)
    this.#byPath[kind].delete(path)
    for (const callback of callbacks ?? []) callback()
  }
}

/** Parts that fit into one frame each. */
export function inParts(paths: readonly string[]): string[][] {
  const parts: string[][] = []
  let bytes = Infinity
  for (const path of paths) {
    const length = Buffer.byteLength(path) + 4
    if (bytes + length > mostBytes) {
      parts.push([])
      bytes = 0
    }
    bytes += length
    parts.at(-1)?.push(path)
  }
  return parts
}
