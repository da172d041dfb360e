/** Where the locks are, as options of the command line say it. */
export interface StoreOptions {
  readonly url?: string
  readonly cluster?: string
  readonly sentinel?: string
  readonly sentinels?: string
  readonly prefix?: string
  readonly keyPrefix?: string
  readonly schema?: string
  /** How long one command may take, milliseconds. */
  readonly timeout: number
}
