/** A request of Node's `http`: as much of `IncomingMessage` as the dashboard needs, so that its types need no `@types/node`. */
export interface NodeRequest {
  /** As for `IncomingMessage`. */
  readonly method?: string | undefined
  /** As for `IncomingMessage`. */
  readonly url?: string | undefined
  /** As for `IncomingMessage`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** As for `IncomingMessage`. */
  readonly readableEnded: boolean
  /** As for `IncomingMessage`. */
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>
  /** As for `IncomingMessage`. */
  resume(): unknown
}

/** A response of Node's `http`: as much of `ServerResponse` as the dashboard needs. */
export interface NodeResponse {
  /** As for `ServerResponse`. */
  readonly destroyed: boolean
  /** As for `ServerResponse`. */
  writeHead(status: number, headers: Record<string, string>): unknown
  /** As for `ServerResponse`. */
  end(body?: string | Uint8Array): unknown
  /** As for `ServerResponse`. */
  destroy(): unknown
}
