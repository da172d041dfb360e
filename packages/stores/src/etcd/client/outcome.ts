import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2'
import { failureOf, NoReplyError, NotEtcdError } from './failures.js'

/** How a request ended, from what the server said of it: a status in its headers, or in its trailers. */
export class Outcome {
  readonly #call: string
  readonly #origin: string
  #failure: Error | undefined
  #isDecided = false

  constructor(call: string, origin: string) {
    this.#call = call
    this.#origin = origin
  }

  /** Without one all went well. */
  get failure(): Error | undefined {
    if (this.#isDecided) return this.#failure
    return (this.#failure ??= new NoReplyError(`${this.#call}: the connection to ${this.#origin} broke`))
  }

  begin(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    const status = headers[':status']
    if (status === 200) this.end(headers)
    else
      this.decide(
        new NotEtcdError(`${this.#origin} replied with HTTP status ${status}, and not as etcd does`),
      )
  }

  end(headers: IncomingHttpHeaders): void {
    const code = headers['grpc-status']
    if (code === undefined) return
    const text = textOf(headers['grpc-message'])
    this.decide(code === '0' ? undefined : failureOf(this.#call, Number(code), text))
  }

  /** The first decision counts. */
  decide(failure: Error | undefined): void {
    if (!this.#isDecided) this.#failure = failure
    this.#isDecided = true
  }

  /** The stream broke: that counts unless the server had said how it ended. */
  lose(cause: Error): void {
    if (!this.#isDecided) this.#failure = new NoReplyError(`${this.#call}: ${cause.message}`, { cause })
  }
}

/** Percent-encoded, as gRPC has it. */
function textOf(header: string | string[] | undefined): string {
  const text = String(header ?? 'no reason given')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
