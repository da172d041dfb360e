import { createRequire } from 'node:module'
import type * as Ioredis from 'ioredis'

/** As CommonJS, and only when it is needed: an import statement would first parse each of its files for names, which takes as long as loading it. */
export const ioredis = (): typeof Ioredis => createRequire(import.meta.url)('ioredis') as typeof Ioredis
