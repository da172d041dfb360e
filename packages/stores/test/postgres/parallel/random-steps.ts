import { checkHistory, describeViolation, nowMs, uniqueName, type PostgresServer } from '@holdfast/testkit'
import { Client } from 'pg'
import { Steps } from '../../../src/postgres/steps.js'
import { schema } from '../steps/functions.js'
import { asText } from '../steps/call.js'
import { Worker } from './worker.js'

const processes = ['A', 'B', 'C', 'D', 'E', 'F'] as const

/** What was done, and what it shows to be wrong. */
export interface Findings {
  readonly holds: number
  readonly problems: readonly string[]
}

/**
 * Has several connections take random steps on two locks, and checks what came of it.
 *
 * @param forMs - for so long, and on a slow machine until there were some holds
 */
export async function runRandomSteps(
  server: PostgresServer,
  forMs: number,
  someHolds = 0,
): Promise<Findings> {
  const [queued, tried] = [uniqueName('queued'), uniqueName('tried')]
  const steps = new Steps(schema)
  const clients = processes.map(() => new Client({ connectionString: server.url, types: asText }))
  const listener = new Client({ connectionString: server.url })
  try {
    await Promise.all([listener, ...clients].map((client) => client.connect()))
    const workers = clients.map((client, i) => {
      const inbox = { channel: 'holdfast:parallel', key: String(1_000 + i) }
      return new Worker(client, steps, { process: processes[i] ?? '', queued, tried, inbox })
    })
    for (const i of processes.keys()) await listener.query('select pg_advisory_lock($1)', [1_000 + i])
    const holds = (): number =>
      workers.flatMap(({ events }) => events.filter(({ kind }) => kind === 'acquired')).length
    const untilMs = nowMs() + forMs
    await Promise.all(workers.map((worker) => worker.run(() => nowMs() >= untilMs && holds() >= someHolds)))
    const events = workers.flatMap((worker) => worker.events)
    const broken = checkHistory(events).filter(
      ({ promise }) => promise === 'exclusion' || promise === 'tokens',
    )
    return {
      holds: holds(),
      problems: [
        ...broken.map((violation) => describeViolation(violation, events)),
        ...workers.flatMap(({ errors }) => errors),
        ...(await leftBehind(
          server,
          workers.flatMap(({ finished }) => finished),
        )),
      ],
    }
  } finally {
    await Promise.all([listener, ...clients].map((client) => client.end()))
  }
}

/** Holds and queue entries of owners that have given them up, and locks that count their waiters wrongly. */
async function leftBehind(server: PostgresServer, finished: readonly string[]): Promise<string[]> {
  const rows = await server.query(
    `select format('%s still holds', owner) as problem from ${schema}.lock where owner = any ($1)
     union all
     select format('%s is still queued', owner) from ${schema}.place where owner = any ($1)
     union all
     select format('the lock counts %s waiters', waiting) from ${schema}.lock l
     where waiting <> (select count(*) from ${schema}.place p where p.name = l.name)`,
    [finished],
  )
  return rows.map(({ problem }) => String(problem))
}
