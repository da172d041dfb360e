import type { Schedule } from '../schedule.js'
import { call, type Edit, type Variant } from './variant.js'

/** In the text of the functions of latches. */
function edit(file: string, find: string, replace: string): Edit {
  return { of: 'postgres', file: `sql/latch/${file}`, find, replace }
}

/** The calls of three processes in which the bug shows. */
const seenBy = (...calls: Schedule['calls']): Omit<Variant, 'name' | 'edits'> => ({
  breaks: ['latches'],
  topology: 'postgres',
  schedule: { object: 'latch', calls, faults: [] },
})

/** The engine for PostgreSQL, with one bug in latches. */
export const postgresLatchVariants: readonly Variant[] = [
  {
    name: 'a party that counts down twice counts twice',
    edits: [
      edit(
        'changing.js',
        'on conflict do nothing;\n      if found then',
        'on conflict do nothing;\n      if true then',
      ),
    ],
    ...seenBy(
      [call(300, 0, { step: 'set', parties: 2 }), call(500, 0, { step: 'countDown', as: 'a' })],
      [call(600, 0, { step: 'countDown', as: 'a' })],
      [call(400, 0, { step: 'wait', waitMs: 900 })],
    ),
  },
  {
    name: 'a latch is open as soon as its count is set',
    edits: [edit('waiting.js', "when ${isSet} then '2 '", "when ${isSet} then '1 '")],
    ...seenBy(
      [call(300, 0, { step: 'set', parties: 2 }), call(500, 0, { step: 'countDown', as: 'a' })],
      [call(600, 0, { step: 'wait', waitMs: 300 })],
      [],
    ),
  },
  {
    name: 'a latch whose parties have all counted down stays closed',
    edits: [edit('changing.js', 'l.opened := l.generation;', 'l.opened := l.opened;')],
    ...seenBy(
      [call(300, 0, { step: 'set', parties: 1 }), call(600, 0, { step: 'countDown', as: 'a' })],
      [call(800, 0, { step: 'wait', waitMs: 600 })],
      [],
    ),
  },
  {
    name: 'a latch opens unnoticed',
    edits: [
      edit('blocks.js', 'perform pg_notify(inbox,', 'perform concat(inbox,'),
      {
        file: 'waiting/refresh-latches.js',
        find: "if (reply?.kind === 'passed')\n            table.opened(address.id, reply.generation);",
        replace: 'return;',
      },
    ],
    ...seenBy(
      [call(300, 0, { step: 'set', parties: 1 }), call(600, 0, { step: 'countDown', as: 'a' })],
      [call(400, 0, { step: 'wait', waitMs: 900 })],
      [],
    ),
  },
]
