import { startProxy, type FaultProxy } from '@holdfast/testkit'

const ofQueue = /^\S+( \S+)? \/holdfast\/locks\//
/** An inspection reads the note of a holder, after a listing; no other step does, but for those that watch it. */
const ofInspection = /^getData .*~\d{10}$/

const ofProof = /^multi (check|setData) \/holdfast\//

/** Counts the requests about queues of all clients that connect through it, but for those of inspections of what is held. */
export class RequestCount {
  count = 0
  /** Requests that prove a session, with holds or without. */
  proofs = 0
  readonly #proxy: FaultProxy

  private constructor(proxy: FaultProxy) {
    this.#proxy = proxy
    void proxy.loseReply((request) => {
      if (ofProof.test(request)) this.proofs += 1
      if (ofInspection.test(request)) this.count -= 1
      else if (ofQueue.test(request)) this.count += 1
      return false
    })
  }

  static async start(server: { readonly host: string; readonly port: number }): Promise<RequestCount> {
    return new RequestCount(await startProxy(server, 'zookeeper'))
  }

  get address(): { readonly host: string; readonly port: number } {
    const { host, port } = this.#proxy
    return { host, port }
  }

  get connect(): string {
    return `${this.address.host}:${this.address.port}`
  }

  stop(): Promise<void> {
    return this.#proxy.close()
  }
}
