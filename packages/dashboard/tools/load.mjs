// Usage: node packages/dashboard/tools/load.mjs [--clients 1000] [--locks 100000] [--waiters 2000] [--seconds 30] [--pages 3] [--real-time]
// What the dashboard costs a Redis server: holds that many locks from that many clients, then opens pages, and prints the server's
// share of a core and its slowest commands before, while they are open, and after they were closed. On a busy machine commands seem slow
// because the server is interrupted: --real-time (root only) runs it ahead of everything else.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Holdfast } from '@holdfast/core'
import { createDashboard } from '@holdfast/dashboard'
import { startRedis } from '@holdfast/testkit'

const processes = 4
/** Renewals would cost far more than what is measured. */
const watchdogTimeoutMs = 3_600_000

if (process.send) await hold(...process.argv.slice(2).map((arg) => JSON.parse(arg)))
else await measure()

/** In a process of its own: clients that hold locks, and then wait for some that others hold. */
async function hold(url, first, count, clients, locksPerClient, waitersPerClient) {
  const holders = Array.from(
    { length: count },
    (_, i) => new Holdfast({ redis: url, label: `worker-${first + i}`, watchdogTimeoutMs }),
  )
  for (const [i, holdfast] of holders.entries()) {
    const names = Array.from({ length: locksPerClient }, (_, n) => `load:${first + i}:${n}`)
    await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
  }
  process.send('held')
  await once(process, 'message')
  for (const [i, holdfast] of holders.entries()) {
    for (let n = 0; n < waitersPerClient; n += 1) {
      const other = ((first + i) * 7 + n * 13 + 1) % clients
      holdfast
        .getLock(`load:${other}:0`)
        .lock()
        .catch(() => undefined)
    }
  }
  process.once('disconnect', () => process.exit())
  process.send('waiting')
}

async function measure() {
  const { values } = parseArgs({
    options: {
      'real-time': { type: 'boolean' },
      ...Object.fromEntries(
        [
          ['clients', '1000'],
          ['locks', '100000'],
          ['waiters', '2000'],
          ['seconds', '30'],
          ['pages', '3'],
        ].map(([name, value]) => [name, { type: 'string', default: value }]),
      ),
    },
  })
  const [clients, locks, waiters, seconds, pages] = ['clients', 'locks', 'waiters', 'seconds', 'pages'].map(
    (name) => Number(values[name]),
  )
  const redis = await startRedis({
    args: ['--maxclients', '20000'],
    ...(values['real-time'] && { under: ['chrt', '--fifo', '10'] }),
  })
  const perProcess = Math.ceil(clients / processes)
  const children = Array.from({ length: processes }, (_, i) => {
    const share = [
      redis.url,
      i * perProcess,
      perProcess,
      clients,
      Math.ceil(locks / clients),
      Math.ceil(waiters / clients),
    ]
    return fork(
      fileURLToPath(import.meta.url),
      share.map((value) => JSON.stringify(value)),
    )
  })
  try {
    await Promise.all(children.map((child) => once(child, 'message')))
    const waiting = Promise.all(children.map((child) => once(child, 'message')))
    for (const child of children) child.send('wait')
    await waiting
    await sleep(5_000)
    const holdfast = new Holdfast({ redis: redis.url, label: 'dashboard', watchdogTimeoutMs })
    const dashboard = createDashboard({ holdfast })
    await holdfast.getLock('warm-up').withLock(() => undefined)
    console.log(`${clients} clients, ${locks} locks, ${waiters} waiters, ${pages} pages, ${seconds} s each`)
    await show(redis, 'no page', seconds, () => sleep(seconds * 1_000))
    for (const query of [
      'page=overview',
      'page=locks',
      'page=clients&sheet=0',
      'page=lock&object=lock&name=load:0:0',
    ]) {
      await show(redis, query, seconds, () => read(dashboard, query, pages, seconds))
    }
    await sleep(2_000)
    await show(redis, 'pages closed', seconds, () => sleep(seconds * 1_000))
    dashboard.close()
    await holdfast.close()
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await redis.stop()
  }
}

/** Reads that many streams for that long, and says what they brought. */
async function read(dashboard, query, pages, seconds) {
  const ending = new AbortController()
  const read = async () => {
    let [bytes, updates] = [0, 0]
    const request = new Request(`http://localhost/events?${query}`, { signal: ending.signal })
    const { body } = await dashboard.fetch(request)
    for await (const chunk of body) {
      bytes += chunk.length
      updates += 1
    }
    return { bytes, updates }
  }
  const reading = Array.from({ length: pages }, read)
  await sleep(seconds * 1_000)
  ending.abort()
  const [{ bytes, updates }] = await Promise.all(reading)
  const own = process.resourceUsage()
  console.log(
    `  ${updates} updates, ${Math.round(bytes / 1_000 / seconds)} kB/s per page; this process in all ${Math.round((own.userCPUTime + own.systemCPUTime) / 1e6)} s of CPU`,
  )
}

async function show(redis, title, seconds, during) {
  await redis.call('CONFIG', 'SET', 'slowlog-log-slower-than', 100)
  await redis.call('SLOWLOG', 'RESET')
  await redis.call('CONFIG', 'RESETSTAT')
  const before = await cpuSeconds(redis)
  const startedAt = performance.now()
  console.log(title)
  await during()
  const share = ((await cpuSeconds(redis)) - before) / ((performance.now() - startedAt) / 1_000)
  const slow = (await redis.call('SLOWLOG', 'GET', 128)).filter(
    ([, , , [name]]) => !/^(slowlog|config|info)$/i.test(name),
  )
  const longest = [...slow].sort((a, b) => b[2] - a[2]).slice(0, 3)
  const counts = String(await redis.call('INFO', 'commandstats'))
    .split('\r\n')
    .flatMap((line) => /^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/.exec(line)?.slice(1, 4).join(' ') ?? [])
    .filter((line) => !/^(config|slowlog|info)/.test(line))
  console.log(
    `  Redis: ${(share * 100).toFixed(1)} % of a core; slower than 1 ms: ${slow.filter((each) => each[2] > 1_000).length}`,
  )
  console.log(
    `  longest: ${longest.map(([, , us, [name, sub = '']]) => `${name} ${String(sub).slice(0, 12)} ${us} µs`).join(', ')}`,
  )
  console.log(`  calls and µs: ${counts.join(', ')}`)
}

async function cpuSeconds(redis) {
  const info = String(await redis.call('INFO', 'cpu'))
  const of = (name) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1])
  return of('used_cpu_user') + of('used_cpu_sys')
}
