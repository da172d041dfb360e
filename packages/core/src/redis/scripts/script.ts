/** One Lua script. */
export interface Script {
  readonly name: string
  /** Scripts of one family work on the same kind of object. */
  readonly family: string
  /** By which a server that has seen it knows it. */
  readonly sha1: string
  readonly lua: string
}
