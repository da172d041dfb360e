import { ReplyLoss } from './reply-loss.js'
import { RequestStream, type Request } from './request-stream.js'

/** Drops the reply to one request. */
export interface LossOfReply {
  /** The request ran, and its reply is lost. */
  readonly done: boolean
  /** The bytes to send to the server instead of the request. */
  wrap(request: Buffer): Buffer
  /** Takes the server's bytes and returns those to forward to the client. */
  pass(chunk: Buffer): Buffer
}

/** What a proxy has to understand of the bytes of one connection in order to lose a reply. */
export interface Protocol {
  /** The requests that these bytes of the client complete, in order. Each is taken when the one before was dealt with. */
  push(chunk: Buffer): Iterable<Request>
  /** Removes and returns the bytes of an incomplete request. */
  takeRest(): Buffer
  /** Sees the server's bytes, for as long as no reply is lost. */
  seeReply(chunk: Buffer): void
  /** To be called before the request is sent. */
  loseNext(): LossOfReply
}

export class RedisProtocol extends RequestStream implements Protocol {
  seeReply(): void {
    // Marker commands tell replies apart.
  }

  loseNext(): LossOfReply {
    return new ReplyLoss()
  }
}

/** Of bytes that mean nothing to the proxy. No request matches, so no reply is lost. */
export class UnknownProtocol implements Protocol {
  push(bytes: Buffer): Request[] {
    return [{ bytes, text: '' }]
  }

  takeRest(): Buffer {
    return Buffer.alloc(0)
  }

  seeReply(): void {
    // They mean nothing either.
  }

  loseNext(): LossOfReply {
    throw new Error('replies of an unknown protocol cannot be told apart')
  }
}
