/** One Lua script. Scripts share most of their text, and most servers have seen them, so it is joined when it is needed. */
export class Script {
  readonly name: string
  /** Scripts of one family work on the same kind of object. */
  readonly family: string
  /** By which a server that has seen it knows it. */
  readonly sha1: string
  readonly #pieces: readonly string[]

  constructor(name: string, family: string, sha1: string, pieces: readonly string[]) {
    this.name = name
    this.family = family
    this.sha1 = sha1
    this.#pieces = pieces
  }

  get lua(): string {
    return this.#pieces.join('\n')
  }
}
