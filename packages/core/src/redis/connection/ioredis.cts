import type Ioredis = require('ioredis')

/**
 * Loads ioredis when it is first needed: only a URL needs it, an instance brings its own. CommonJS in both builds, since
 * this has to be synchronous.
 *
 * @returns `undefined` when it is not installed
 */
function loadIoredis(): typeof Ioredis | undefined {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the only synchronous way to load on demand
    return require('ioredis') as typeof Ioredis
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'

export = loadIoredis
