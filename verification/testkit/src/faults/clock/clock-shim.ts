import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const source = fileURLToPath(new URL('../../../native/clock-shim.c', import.meta.url))
const cacheFolder = fileURLToPath(new URL('../../../../../.cache/clock-shim/', import.meta.url))

let building: Promise<string | null> | undefined

/** The path of the compiled shim; `null` where it is not available: not 64-bit Linux, or no C compiler. */
export function buildClockShim(): Promise<string | null> {
  return (building ??= build())
}

async function build(): Promise<string | null> {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return null
  // Keyed by content and machine, so that no build of an older source or another system is used.
  const key = createHash('sha256')
    .update(await readFile(source))
    .update(process.arch)
    .digest('hex')
    .slice(0, 16)
  const library = join(cacheFolder, `${key}.so`)
  if (await exists(library)) return library
  await mkdir(cacheFolder, { recursive: true })
  // Built elsewhere and moved into place, so that concurrent processes never see an incomplete library.
  const fresh = `${library}.${process.pid}`
  try {
    await run('cc', ['-O2', '-Wall', '-Wextra', '-shared', '-fPIC', '-o', fresh, source])
    await rename(fresh, library)
    return library
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  } finally {
    await rm(fresh, { force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Whether the program does not exist; the failure of an existing one is an error to report. */
function isMissing(error: unknown): boolean {
  // Not `instanceof Error`: a test runner has its own Error class.
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}
