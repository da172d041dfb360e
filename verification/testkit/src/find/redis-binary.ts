/** A server program on this machine, and what it needs to start. */
export interface RedisBinary {
  readonly path: string
  readonly product: 'redis' | 'valkey'
  readonly version: { readonly text: string; readonly major: number; readonly minor: number }
  /** Variables to add to the environment, such as a library path. */
  readonly env: Readonly<Record<string, string>>
}
