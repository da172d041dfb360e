import type { Contender } from '../contender.js'
import { openSession } from '../contenders/holdfast.js'

/** Holdfast with tables of this kind. */
export const holdfastOn = (tables: 'unlogged' | 'logged'): Contender => ({
  library: `Holdfast, ${tables}`,
  configuration: 'best',
  settings: `tables: '${tables}'; otherwise the defaults`,
  async open(url) {
    const { postgres } = await import('@holdfast/postgres')
    return openSession({ engine: postgres({ url, tables }) })
  },
})
