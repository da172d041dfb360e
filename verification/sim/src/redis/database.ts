import { Failure } from './reply.js'

/** What a key holds, by the name of its type. */
export type Content =
  | { readonly type: 'string'; text: string }
  | { readonly type: 'hash'; readonly fields: Map<string, string> }
  | { readonly type: 'list'; readonly items: string[] }
  | { readonly type: 'set'; readonly members: Set<string> }
  | { readonly type: 'zset'; readonly scores: Map<string, number> }

type ContentOf<Type extends Content['type']> = Extract<Content, { type: Type }>

interface Entry {
  readonly content: Content
  /** By the clock of the server; `Infinity`: no time to live. */
  untilMs: number
}

/** What became of a key; `null`: it is gone. */
export interface Change {
  readonly key: string
  readonly entry: Entry | null
}

/** The keys of one server. */
export class Database {
  readonly #nowMs: () => number
  readonly #entries = new Map<string, Entry>()
  /** What has been written to since it was last asked. */
  readonly #changed = new Set<string>()

  /** @param nowMs - the clock by which keys expire */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get(key: string): Content | undefined {
    return this.#find(key)?.content
  }

  /** The key to be read as that. Throws the error of a server if it is something else. */
  read<Type extends Content['type']>(key: string, type: Type): ContentOf<Type> | undefined {
    const content = this.get(key)
    if (content === undefined || isOf(content, type)) return content
    throw new CommandError('WRONGTYPE Operation against a key holding the wrong kind of value')
  }

  /** The same, to be written to: made if it is not there. */
  write<Type extends Content['type']>(key: string, type: Type, make: () => ContentOf<Type>): ContentOf<Type> {
    const known = this.read(key, type)
    this.#changed.add(key)
    if (known) return known
    const content = make()
    this.#entries.set(key, { content, untilMs: Infinity })
    return content
  }

  put(key: string, content: Content, untilMs: number): void {
    this.#changed.add(key)
    this.#entries.set(key, { content, untilMs })
  }

  delete(key: string): boolean {
    const isThere = this.#find(key) !== undefined
    if (isThere) this.#changed.add(key)
    this.#entries.delete(key)
    return isThere
  }

  /** Takes it away if nothing is left in it. */
  settle(key: string): void {
    const content = this.get(key)
    if (content && isEmpty(content)) this.delete(key)
  }

  /** `undefined`: there is no such key. `Infinity`: it stays. */
  ttlMs(key: string): number | undefined {
    const entry = this.#find(key)
    return entry && entry.untilMs - this.#nowMs()
  }

  expireAt(key: string, untilMs: number): boolean {
    const entry = this.#find(key)
    if (!entry) return false
    this.#changed.add(key)
    entry.untilMs = untilMs
    if (untilMs <= this.#nowMs()) this.#entries.delete(key)
    return true
  }

  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.#find(key))
  }

  /** What has been written since the last time. */
  takeChanges(): readonly Change[] {
    const changes = [...this.#changed].map((key) => ({ key, entry: copied(this.#find(key)) }))
    this.#changed.clear()
    return changes
  }

  /** Takes over what another server wrote. */
  apply(changes: readonly Change[]): void {
    for (const { key, entry } of changes) {
      const copy = copied(entry ?? undefined)
      if (copy) this.#entries.set(key, copy)
      else this.#entries.delete(key)
    }
  }

  /** All there is. */
  dump(): readonly Change[] {
    return this.keys().map((key) => ({ key, entry: copied(this.#find(key)) }))
  }

  clear(): void {
    this.#entries.clear()
    this.#changed.clear()
  }

  /** It expires in the millisecond after its time to live. */
  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.untilMs >= this.#nowMs() ? entry : undefined
  }
}

/** What a command came to that failed. */
export class CommandError extends Error {
  readonly failure: Failure

  constructor(text: string) {
    super(text)
    this.failure = new Failure(text)
  }
}

function isOf<Type extends Content['type']>(content: Content, type: Type): content is ContentOf<Type> {
  return content.type === type
}

function isEmpty(content: Content): boolean {
  switch (content.type) {
    case 'string':
      return false
    case 'hash':
      return content.fields.size === 0
    case 'list':
      return content.items.length === 0
    case 'set':
      return content.members.size === 0
    case 'zset':
      return content.scores.size === 0
  }
}

function copied(entry: Entry | undefined): Entry | null {
  return entry ? { content: copyOf(entry.content), untilMs: entry.untilMs } : null
}

function copyOf(content: Content): Content {
  switch (content.type) {
    case 'string':
      return { ...content }
    case 'hash':
      return { type: 'hash', fields: new Map(content.fields) }
    case 'list':
      return { type: 'list', items: [...content.items] }
    case 'set':
      return { type: 'set', members: new Set(content.members) }
    case 'zset':
      return { type: 'zset', scores: new Map(content.scores) }
  }
}
