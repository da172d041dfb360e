/** Where the locks are, as options of the command line say it. */
export interface StoreOptions {
  readonly url?: string
  readonly cluster?: string
  readonly sentinel?: string
  readonly sentinels?: string
  readonly prefix?: string
  readonly keyPrefix?: string
  readonly schema?: string
  readonly tables?: 'unlogged' | 'logged'
  readonly minReplicas?: number
  readonly table?: string
  /** Whether what the locks need is created where it is missing: not by a command that looks at the locks of others. */
  readonly mayCreate?: boolean
  /** How long one command may take, milliseconds. */
  readonly timeout: number
}
