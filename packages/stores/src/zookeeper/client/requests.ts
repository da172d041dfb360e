import type { Acl } from '../options.js'
import { code, ZooKeeperError } from './errors.js'
import type { Reader, Stat, Writer } from './jute.js'

export const op = {
  create: 1,
  delete: 2,
  getData: 4,
  setData: 5,
  getAcl: 6,
  getChildren: 8,
  sync: 9,
  ping: 11,
  check: 13,
  multi: 14,
  create2: 15,
  createContainer: 19,
  createTtl: 21,
  auth: 100,
  setWatches: 101,
  closeSession: -11,
} as const

/** How a node lives. */
export const mode = {
  persistent: 0,
  /** As long as the session. */
  ephemeral: 1,
  persistentSequential: 2,
  ephemeralSequential: 3,
  /** Until some time after its last child is gone. */
  container: 4,
  /** Until it was not written to for so long. */
  ttl: 5,
} as const

/** One request, and what becomes of its reply. */
export interface Request<T> {
  readonly op: number
  /** For errors, such as `create /locks`. */
  readonly what: string
  /** Whether a majority of servers has carried it out when the reply comes. */
  readonly isWrite: boolean
  write(writer: Writer): void
  /** @throws `ZooKeeperError` for an error that the request does not expect */
  read(reader: Reader, error: number): T
}

export interface Data {
  readonly data: string
  readonly stat: Stat
}

export interface Created {
  readonly path: string
  readonly stat: Stat
}

/** An operation of a request that carries out all of its operations or none. */
export type Operation =
  | { readonly kind: 'create'; readonly path: string; readonly data: string; readonly mode: number }
  | { readonly kind: 'delete' | 'check'; readonly path: string; readonly version?: number | undefined }
  | {
      readonly kind: 'setData'
      readonly path: string
      readonly data: string
      readonly version?: number | undefined
    }

/** What became of the operations of one request. */
export interface MultiReply {
  /** One for each operation; 0: carried out, as all others were. */
  readonly errors: readonly number[]
  /** Of the operations that make nodes, in their order. */
  readonly paths: readonly string[]
  /** When it was carried out, by the leader's clock, milliseconds, if it wrote data. */
  readonly mtime: number | undefined
}

const anyVersion = -1

/** Makes requests. Those that make nodes give them the access list. */
export class Requests {
  readonly #acl: readonly Acl[]

  constructor(acl: readonly Acl[]) {
    this.#acl = acl
  }

  /** `noNode`: there is no parent; `nodeExists`: it is there already. */
  create(path: string, data: string, nodeMode: number): Request<Created | 'noNode' | 'nodeExists'> {
    const what = `create ${path}`
    return {
      ...{ op: op.create2, what, isWrite: true },
      write: (writer) => this.#writeCreate(writer, path, data, nodeMode),
      read(reader, error) {
        if (error === 0) return { path: reader.text(), stat: reader.stat() }
        return outcome(error, what, { [code.noNode]: 'noNode', [code.nodeExists]: 'nodeExists' })
      },
    }
  }

  createContainer(path: string): Request<'created' | 'noNode' | 'nodeExists'> {
    const what = `create ${path}`
    return {
      ...{ op: op.createContainer, what, isWrite: true },
      write: (writer) => this.#writeCreate(writer, path, '', mode.container),
      read: (_, error) =>
        outcome(error, what, {
          0: 'created',
          [code.noNode]: 'noNode',
          [code.nodeExists]: 'nodeExists',
        }),
    }
  }

  /** A node that goes by itself. `unimplemented`: the servers have none such. */
  createTtl(path: string, ttlMs: number): Request<'created' | 'unimplemented'> {
    const what = `create ${path}`
    return {
      ...{ op: op.createTtl, what, isWrite: true },
      write: (writer) => {
        this.#writeCreate(writer, path, '', mode.ttl)
        writer.long(BigInt(ttlMs))
      },
      read: (_, error) => outcome(error, what, { 0: 'created', [code.unimplemented]: 'unimplemented' }),
    }
  }

  /** `null`: the node is not there. */
  getAcl(path: string): Request<readonly Acl[] | null> {
    const what = `read the access list of ${path}`
    return {
      ...{ op: op.getAcl, what, isWrite: false },
      write: (writer) => writer.text(path),
      read: (reader, error) =>
        error === 0 ? readAcl(reader) : outcome(error, what, { [code.noNode]: null }),
    }
  }

  /** `false`: it was not there. */
  remove(path: string): Request<boolean> {
    const what = `delete ${path}`
    return {
      ...{ op: op.delete, what, isWrite: true },
      write: (writer) => writer.text(path).int(anyVersion),
      read: (_, error) => outcome(error, what, { 0: true, [code.noNode]: false }),
    }
  }

  /** `null`: it is not there. */
  setData(path: string, data: string): Request<Stat | null> {
    const what = `write ${path}`
    return {
      ...{ op: op.setData, what, isWrite: true },
      write: (writer) => writer.text(path).text(data).int(anyVersion),
      read: (reader, error) => (error === 0 ? reader.stat() : outcome(error, what, { [code.noNode]: null })),
    }
  }

  /** `null`: it is not there. */
  getData(path: string, watch: boolean): Request<Data | null> {
    const what = `read ${path}`
    return {
      ...{ op: op.getData, what, isWrite: false },
      write: (writer) => writer.text(path).bool(watch),
      read: (reader, error) =>
        error === 0
          ? { data: reader.text(), stat: reader.stat() }
          : outcome(error, what, { [code.noNode]: null }),
    }
  }

  /** `null`: the node is not there. */
  getChildren(path: string, watch: boolean): Request<readonly string[] | null> {
    const what = `list ${path}`
    return {
      ...{ op: op.getChildren, what, isWrite: false },
      write: (writer) => writer.text(path).bool(watch),
      read: (reader, error) => (error === 0 ? reader.texts() : outcome(error, what, { [code.noNode]: null })),
    }
  }

  /** Has the server catch up with what the leader has carried out, before it replies. */
  sync(path: string): Request<undefined> {
    const what = `sync ${path}`
    return {
      ...{ op: op.sync, what, isWrite: false },
      write: (writer) => writer.text(path),
      read: (_, error) => outcome(error, what, { 0: undefined }),
    }
  }

  multi(operations: readonly Operation[]): Request<MultiReply> {
    const what = `a request of ${operations.length} operations`
    return {
      ...{ op: op.multi, what, isWrite: true },
      write: (writer) => {
        for (const operation of operations) this.#writeOperation(writer, operation)
        writer.int(-1).bool(true).int(-1)
      },
      read: (reader, error) => {
        if (error !== 0 && reader.isAtEnd) throw new ZooKeeperError(error, what)
        return readMulti(reader)
      },
    }
  }

  close(): Request<undefined> {
    return {
      ...{ op: op.closeSession, what: 'close', isWrite: false },
      write: () => undefined,
      read: () => undefined,
    }
  }

  #writeOperation(writer: Writer, operation: Operation): void {
    writer.int(op[operation.kind]).bool(false).int(-1)
    switch (operation.kind) {
      case 'create':
        this.#writeCreate(writer, operation.path, operation.data, operation.mode)
        break
      case 'setData':
        writer
          .text(operation.path)
          .text(operation.data)
          .int(operation.version ?? anyVersion)
        break
      case 'delete':
      case 'check':
        writer.text(operation.path).int(operation.version ?? anyVersion)
    }
  }

  #writeCreate(writer: Writer, path: string, data: string, nodeMode: number): void {
    writer.text(path).text(data).int(this.#acl.length)
    for (const { permissions, scheme, id } of this.#acl) writer.int(bitsOf(permissions)).text(scheme).text(id)
    writer.int(nodeMode)
  }
}

const letters = 'rwcda'

/** As ZooKeeper's shell writes them. */
const bitsOf = (permissions: string): number =>
  Array.from(letters).reduce((bits, letter, i) => (permissions.includes(letter) ? bits | (1 << i) : bits), 0)

const lettersOf = (bits: number): string =>
  Array.from(letters)
    .filter((_, i) => (bits & (1 << i)) !== 0)
    .join('')

const readAcl = (reader: Reader): Acl[] =>
  Array.from({ length: reader.int() }, () => ({
    permissions: lettersOf(reader.int()),
    scheme: reader.text(),
    id: reader.text(),
  }))

function readMulti(reader: Reader): MultiReply {
  const errors: number[] = []
  const paths: string[] = []
  let mtime: number | undefined
  for (;;) {
    const type = reader.int()
    const isEnd = reader.bool()
    reader.int()
    if (isEnd) return { errors, paths, mtime }
    if (type === -1) {
      errors.push(reader.int())
      continue
    }
    errors.push(0)
    if (type === op.create) paths.push(reader.text())
    if (type === op.setData) mtime = reader.stat().mtime
  }
}

/** @param expected - results by code; any other code is an error */
function outcome<T>(error: number, what: string, expected: Readonly<Record<number, T>>): T {
  const found = Object.entries(expected).find(([each]) => Number(each) === error)
  if (!found) throw new ZooKeeperError(error, what)
  return found[1]
}
