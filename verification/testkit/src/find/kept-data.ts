import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What makes the data of an empty server. */
export interface DataMaker {
  /** Such as `postgres`. */
  readonly server: string
  /** The path of the program that makes it; another version makes other data. */
  readonly program: string
  /** Runs it on the folder. */
  readonly make: () => Promise<void>
}

/**
 * Fills a folder with the data of an empty server. To make them takes more than a second of processor time; later calls, of other
 * processes as well, copy those from the user's cache folder.
 */
export async function fillWithEmptyData(folder: string, { server, program, make }: DataMaker): Promise<void> {
  const kept = await keptData(server, program)
  if (existsSync(kept)) return copyContent(kept, folder)
  await make()
  await mkdir(dirname(kept), { recursive: true })
  // Copied elsewhere and moved into place, so that concurrent runs never see incomplete ones.
  const fresh = await mkdtemp(`${kept}.`)
  try {
    await copyContent(folder, fresh)
    await rename(fresh, kept)
  } catch {
    // A concurrent run was faster.
    await rm(fresh, { recursive: true, force: true })
  }
}

async function keptData(server: string, program: string): Promise<string> {
  const { mtimeMs } = await stat(program)
  const version = createHash('sha256').update(`${program} ${mtimeMs}`).digest('hex').slice(0, 16)
  const cache = process.env['XDG_CACHE_HOME']
  return join(cache || join(homedir(), '.cache'), 'holdfast', `${server}-${version}`)
}

/** With the owners: the server's user has to get at its own files. */
const copyContent = async (from: string, to: string): Promise<void> => {
  await run('cp', ['-Rp', `${from}/.`, to])
}
