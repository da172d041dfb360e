import { monotonicMs } from '../../util/clock.js'

/** A connection that leaves commands unanswered for this long is replaced when the next of them times out. */
const muteAfterMs = 1000

/** A server, or the cluster node that owns some slots, and for how long it has owed a reply. */
export class Route {
  /** When the first command was sent since the last reply; `Infinity` when no reply is owed. */
  #silentSince = Infinity

  sent(): void {
    if (this.#silentSince === Infinity) this.#silentSince = monotonicMs()
  }

  /** A reply came, or none will come any more. */
  settled(): void {
    this.#silentSince = Infinity
  }

  get isMute(): boolean {
    return monotonicMs() - this.#silentSince >= muteAfterMs
  }
}

/** The routes by the names of their nodes. Commands under way keep theirs, so a route is never replaced by another. */
export class Routes {
  readonly #routes = new Map<string, Route>()

  to(name: string): Route {
    let route = this.#routes.get(name)
    if (!route) this.#routes.set(name, (route = new Route()))
    return route
  }

  /** A connection broke: what was under way says nothing of the next one. */
  onBreak(): void {
    for (const route of this.#routes.values()) route.settled()
  }
}
