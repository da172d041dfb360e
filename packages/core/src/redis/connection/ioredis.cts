import type Ioredis = require('ioredis')

/**
 * Loads ioredis when it is first needed: only a URL or options need it, an instance brings its own. CommonJS in both builds,
 * since this has to be synchronous. ECMAScript modules made by a bundler have no `require`.
 *
 * @returns the error if it cannot be loaded
 */
function loadIoredis(): typeof Ioredis | Error {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the only synchronous way to load on demand
    return require('ioredis') as typeof Ioredis
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

export = loadIoredis
