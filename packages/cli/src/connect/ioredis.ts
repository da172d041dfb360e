import { createRequire } from 'node:module'

/** As CommonJS, and only when it is needed: an import statement would parse each of its files for names first, which takes as long as loading it. */
export const ioredis = (): typeof import('ioredis') =>
  createRequire(import.meta.url)('ioredis') as typeof import('ioredis')
