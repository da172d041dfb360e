import { join } from 'node:path'
import {
  forkWorker,
  isFullMatrix,
  onOwnPostgres,
  startEtcd,
  startMysql,
  startPostgres,
  startRedis,
  startZooKeeper,
  type PostgresServer,
  type RedisServer,
  type Worker,
} from '@holdfast/testkit'
import {
  contenders,
  etcdContenders,
  memcachedContenders,
  mysqlContenders,
  postgresContenders,
  zooKeeperContenders,
} from '../src/adapters/contenders.js'
import { onRedis } from '../src/adapters/holdfast.js'
import { onMemcached } from '../src/session-servers.js'
import { titleOf, type Contender } from '../src/contender.js'
import type { TaskResult } from '../src/tasks/tasks.js'

const worker = join(__dirname, '../dist/worker.js')

let redis: RedisServer
let postgres: PostgresServer | undefined

beforeAll(async () => {
  redis = await startRedis()
})

afterAll(async () => {
  await Promise.all([redis.stop(), postgres?.stop()])
})

async function visitsOf(process: Worker, title: string): Promise<TaskResult<'visits'>> {
  await process.waitFor('ready')
  await process.send({ type: 'do', task: 'visits', order: { lock: title, tasks: 3, forMs: 200 } })
  const { result, error } = await process.waitFor('done')
  if (typeof error === 'string') throw new Error(error)
  return result as TaskResult<'visits'>
}

/** Has two processes with three tasks each enter one lock, and compares when each was inside. */
async function admitsOneAtATime(title: string, url: string): Promise<void> {
  const processes = await Promise.all([1, 2].map(() => forkWorker(worker, { args: [title, url] })))
  try {
    const all = (await Promise.all(processes.map((process) => visitsOf(process, title)))).flat()
    const visits = all.sort((one, other) => one.fromUs - other.fromUs)
    expect(visits.length).toBeGreaterThan(1)
    expect(visits.filter(({ fromUs }, index) => fromUs < (visits[index - 1]?.untilUs ?? 0))).toEqual([])
  } finally {
    await Promise.all(processes.map((process) => process.kill()))
  }
}

// With its defaults a library only waits in another way.
const waits = ({ configuration, waits }: Contender) => configuration !== 'defaults' && waits !== 'never'
/** Adapters change with their libraries: by default only our own are tried. */
const isTried = (title: string): boolean => isFullMatrix || title.startsWith('Holdfast')
const tried = (candidates: readonly Contender[]): string[] => candidates.map(titleOf).filter(isTried)

it.each(tried(contenders.filter(waits)))('%s admits one task at a time', (title) =>
  admitsOneAtATime(title, redis.url),
)

onOwnPostgres(it).each(tried(postgresContenders.filter((contender) => contender !== onRedis)))(
  '%s admits one task at a time',
  async (title) => {
    postgres ??= await startPostgres()
    const database = title.replaceAll(/\W+/g, '_')
    await postgres.query(`create database "${database}"`)
    await admitsOneAtATime(title, postgres.urlOf({ database }))
  },
)

it.each(tried(zooKeeperContenders))('%s admits one task at a time', async (title) => {
  await using server = await startZooKeeper()
  await admitsOneAtATime(title, server.connect)
})

it.each(tried(etcdContenders))('%s admits one task at a time', async (title) => {
  await using server = await startEtcd()
  await admitsOneAtATime(title, server.url)
})

it.each(tried(mysqlContenders))('%s admits one task at a time', async (title) => {
  await using server = await startMysql()
  await admitsOneAtATime(title, server.url)
})

it.each(tried(memcachedContenders))('%s admits one task at a time', async (title) => {
  await onMemcached(({ url }) => admitsOneAtATime(title, url))
})
