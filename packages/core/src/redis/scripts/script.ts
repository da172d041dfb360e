/** One Lua script. Scripts share most of their text, and most servers have seen them, so it is joined when it is needed. */
export class Script {
  readonly name: string
  /** Scripts of one family work on the same kind of object. */
  readonly family: string
  /** By which a server that has seen it knows it. */
  readonly sha1: string
  readonly #pieces: readonly string[]
  readonly #places: readonly number[]

  /** @param places - of its pieces among all of them */
  constructor(
    name: string,
    family: string,
    sha1: string,
    pieces: readonly string[],
    places: readonly number[],
  ) {
    this.name = name
    this.family = family
    this.sha1 = sha1
    this.#pieces = pieces
    this.#places = places
  }

  get lua(): string {
    return this.#places.map((place) => this.#pieces[place]).join('\n')
  }
}
