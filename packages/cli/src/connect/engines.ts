import type { LockEngine } from '@holdfast/core/engine'
import { ExitError, exitCodes } from '../exit-codes.js'
import { isMissing } from './missing-package.js'
import type { StoreOptions } from './store-options.js'

/** A kind of store that comes in packages of its own. */
export interface EngineKind {
  /** As messages name it. */
  readonly store: string
  /** Of its URLs. */
  readonly scheme: RegExp
  /** What is to be installed beside this package. */
  readonly packages: readonly string[]
  /** The options that apply to it. */
  readonly options: readonly (keyof StoreOptions)[]
  /** Rejects as an import does if a package is not installed. */
  open(url: string, options: StoreOptions): Promise<LockEngine>
}

const kinds: readonly EngineKind[] = [
  {
    store: 'PostgreSQL',
    scheme: /^postgres(ql)?:/,
    packages: ['@holdfast/postgres', 'pg'],
    options: ['schema'],
    async open(url, { schema }) {
      const { postgres } = await import('@holdfast/postgres')
      return postgres({ url, ...(schema !== undefined && { schema }) })
    },
  },
]

/** The kind of store that a URL leads to; `undefined` for Redis. */
export const engineKindOf = (url: string): EngineKind | undefined =>
  kinds.find(({ scheme }) => scheme.test(url))

/** @throws `ExitError` if a package is not installed */
export async function openEngine(kind: EngineKind, url: string, options: StoreOptions): Promise<LockEngine> {
  try {
    return await kind.open(url, options)
  } catch (error) {
    if (!isMissing(error)) throw error
    const { store, packages } = kind
    const count = packages.length === 1 ? 'another package' : `${packages.length} more packages`
    const flags = packages.map((name) => ` -p ${name}`).join('')
    throw new ExitError(
      `locks in ${store} need ${count}: npm install ${packages.join(' ')}, or npx -p @holdfast/cli${flags} holdfast …`,
      exitCodes.usage,
    )
  }
}
