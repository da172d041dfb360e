import type Mysql2 = require('mysql2')

/**
 * Loads `mysql2` when it is first needed, so that its absence can be explained. CommonJS in both builds, since this has to be synchronous.
 *
 * @returns the error if it cannot be loaded
 */
function loadMysql2(): typeof Mysql2 | Error {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the only synchronous way to load on demand
    return require('mysql2') as typeof Mysql2
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

export = loadMysql2
