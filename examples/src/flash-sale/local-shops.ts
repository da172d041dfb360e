import type { Holdfast } from '@holdfast/core'
import { figures, usersAtShop, type Variant } from './figures.js'
import { report, type OnProgress } from './progress.js'
import { sell } from './sell.js'
import type { Site } from './site.js'

/** Shops in this process, for a site that no other process can get at. Each has a client of its own. */
export class LocalShops {
  readonly what = `${figures.shops} shops, all in this process,`
  readonly #site: Site
  readonly #clients: readonly Holdfast[]

  constructor(site: Site) {
    this.#site = site
    this.#clients = Array.from({ length: figures.shops }, (_, n) => site.openHoldfast(`shop ${n}`))
  }

  async sell(variant: Variant, onProgress: OnProgress): Promise<void> {
    const totals = this.#clients.map(() => ({ served: 0, sold: 0 }))
    const open = (holdfast: Holdfast, n: number) =>
      sell(variant, usersAtShop(n), this.#site, holdfast, (served, sold) => {
        totals[n] = { served, sold }
        report(totals, onProgress)
      })
    await Promise.all(this.#clients.map(open))
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((holdfast) => holdfast.close()))
  }
}
