import type { LockEngine } from '@holdfast/core/engine'
import { ExitError, exitCodes } from '../exit-codes.js'
import { isMissing } from './missing-package.js'

/** The engine on PostgreSQL, if its package is installed beside this one. */
export async function openPostgres(url: string, schema: string | undefined): Promise<LockEngine> {
  try {
    const { postgres } = await import('@holdfast/postgres')
    return postgres({ url, ...(schema !== undefined && { schema }) })
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new ExitError(
      'locks in PostgreSQL need two more packages: npm install @holdfast/postgres pg, ' +
        'or npx -p @holdfast/cli -p @holdfast/postgres -p pg holdfast …',
      exitCodes.usage,
    )
  }
}
