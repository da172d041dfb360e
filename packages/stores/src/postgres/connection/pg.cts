import type Pg = require('pg')

/**
 * Loads `pg` when it is first needed: PGlite does without. CommonJS in both builds, since this has to be synchronous.
 *
 * @returns the error if it cannot be loaded
 */
function loadPg(): typeof Pg | Error {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the only synchronous way to load on demand
    return require('pg') as typeof Pg
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

export = loadPg
