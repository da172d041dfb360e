import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onPath, redisFromPath, scratchFolder, startRedis } from '@holdfast/testkit'

/** Why instructions cannot be counted on this machine; `null` if they can. */
export async function whyNoCallgrind(): Promise<string | null> {
  if (onPath('valgrind').length === 0)
    return 'there is no valgrind on the PATH; Debian has a package of that name'
  if ((await redisFromPath()) === null) return 'there is no redis-server on the PATH'
  return null
}

/** A Redis whose instructions callgrind counts. */
export interface CountedRedis {
  readonly url: string
  /** How many instructions the server executed between the first and the second ECHO that it was sent. */
  readonly instructionsBetweenEchoes: () => Promise<number>
}

/** Work that depends on how much time passes would be counted more often on a slower machine. */
const withoutClock = ['--hz', '1', '--slowlog-log-slower-than', '-1']

/** Runs the callback with a new server, which is many times slower than usual. */
export async function onCallgrind<T>(use: (redis: CountedRedis) => Promise<T>): Promise<T> {
  const source = await redisFromPath()
  if (source?.kind !== 'binary') throw new Error('there is no redis-server on the PATH')
  const folder = await scratchFolder()
  const counts = join(folder.path, 'counts')
  try {
    const server = await startRedis({
      program: source.binary.path,
      under: [
        ...['valgrind', '--tool=callgrind', `--callgrind-out-file=${counts}`],
        // At each ECHO callgrind writes what it has counted to a file, and starts again from 0: exactly there, however
        // much the server has already received of what follows.
        '--dump-before=echoCommand',
        // Pipes for a debugger would be left behind when the server is killed.
        '--vgdb=no',
      ],
      args: withoutClock,
    })
    try {
      const instructionsBetweenEchoes = async (): Promise<number> =>
        instructionsIn(await readCounts(`${counts}.2`))
      return await use({ url: server.url, instructionsBetweenEchoes })
    } finally {
      await server.stop()
    }
  } finally {
    await folder.remove()
  }
}

async function readCounts(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const text = 'callgrind counted nothing: this redis-server was built without the names of its functions'
    throw new Error(text, { cause })
  }
}

/** The instructions that a file of callgrind counts in total. */
export function instructionsIn(text: string): number {
  const events = wordsAfter('events', text)
  const total = wordsAfter('totals', text)[events.indexOf('Ir')]
  if (total === undefined) throw new Error('this file of callgrind has no total of instructions')
  return Number(total)
}

const wordsAfter = (label: string, text: string): string[] =>
  new RegExp(`^${label}: (.+)$`, 'm').exec(text)?.[1]?.split(' ') ?? []
