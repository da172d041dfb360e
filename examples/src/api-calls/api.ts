import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExampleContext } from '../support/run-example.js'
import { figures } from './figures.js'

/** What an API saw. */
export interface Traffic {
  calls: number
  /** Answered with 429, Too Many Requests. */
  refused: number
  mostAtOnce: number
}

/** An API over HTTP that refuses calls when too many are in progress. */
export class Api {
  readonly url: string
  #inProgress = 0
  #traffic: Traffic = { calls: 0, refused: 0, mostAtOnce: 0 }

  private constructor(url: string) {
    this.url = url
  }

  /** Starts it. It ends with the run. */
  static async open({ defer }: ExampleContext): Promise<Api> {
    const server = createServer()
    defer(() => {
      server.close()
      server.closeAllConnections()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const api = new Api(`http://127.0.0.1:${port}`)
    server.on('request', (_request, response) => void api.#answer(response))
    return api
  }

  /** What it saw since the last call of this function. */
  takeTraffic(): Traffic {
    const traffic = this.#traffic
    this.#traffic = { calls: 0, refused: 0, mostAtOnce: 0 }
    return traffic
  }

  async #answer(response: ServerResponse): Promise<void> {
    const traffic = this.#traffic
    this.#inProgress += 1
    traffic.calls += 1
    traffic.mostAtOnce = Math.max(traffic.mostAtOnce, this.#inProgress)
    const isAllowed = this.#inProgress <= figures.allowed
    if (!isAllowed) traffic.refused += 1
    await delay(figures.callMs)
    this.#inProgress -= 1
    response.writeHead(isAllowed ? 200 : 429).end()
  }
}
