import { clockStartUs, ownerOf } from '@holdfast/model'
import { Client } from 'pg'
import { asText } from '../steps/call.js'
import { schema } from '../steps/functions.js'
import { heldKey } from '../steps/inboxes.js'

const farUs = clockStartUs + 3_600_000_000
const [holder, waiter] = [ownerOf('A'), ownerOf('B')]
const spoilt = '9223372036854775000'

/** An object that is held and waited for, whose last token no larger one can follow. */
const rows = `
  truncate ${schema}.lock, ${schema}.place, ${schema}.shared, ${schema}.shared_hold, ${schema}.shared_place;
  insert into ${schema}.lock values ('x', '${holder}', 1, ${farUs}, ${spoilt}, ${farUs}, 1, 1, ${farUs});
  insert into ${schema}.place values ('x', 1, '${waiter}', ${farUs}, 1, '', ${heldKey(waiter)}, 'proof');
  insert into ${schema}.shared (name, token, fence_until_us, last_ticket, waiting, queue_until_us, used, ends_from_us)
    values ('x', ${spoilt}, ${farUs}, 1, 1, ${farUs}, 1, ${farUs});
  insert into ${schema}.shared_hold values ('x', '${holder}', 1, 1, ${farUs});
  insert into ${schema}.shared_place values ('x', 1, '${waiter}', 1, 1, ${farUs}, 1, '', ${heldKey(waiter)}, 'proof')`

/** Calls that let somebody in. */
const calls = {
  release: `release('x', '${holder}', 0, 0, 0)`,
  force: `force('x', '${holder}', '', 0)`,
  release_shared: `release_shared('x', '${holder}', 0, 0, 0)`,
  force_shared: `force_shared('x', '${holder}', '', 0)`,
  resize: `resize('x', 2, 1000, 0, 'id', 0)`,
} as const

export type LetsIn = keyof typeof calls

export const lettingIn = Object.keys(calls) as readonly LetsIn[]

/** How many still wait after a step that would have let one in, beside an object whose token is spoilt. */
export async function waitingAfter(url: string, name: LetsIn): Promise<number> {
  const clients = [1, 2].map(() => new Client({ connectionString: url, types: asText }))
  const [one, listener] = clients
  if (!one || !listener) throw new Error('there are no clients')
  try {
    await Promise.all(clients.map((client) => client.connect()))
    // Where another session has it already, that will do.
    await listener.query('select pg_try_advisory_lock($1)', [heldKey(waiter)])
    await one.query(`set model.now_us = '${clockStartUs}'`)
    await one.query(rows)
    await one.query(`select ${schema}.${calls[name]}`)
    const table = name === 'release' || name === 'force' ? 'place' : 'shared_place'
    const { rowCount } = await one.query(`select from ${schema}.${table}`)
    return rowCount ?? 0
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
