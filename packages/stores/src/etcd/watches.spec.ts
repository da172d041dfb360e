import type { MessageStreamEvents } from './client/connection.js'
import { Watches } from './watches.js'
import { encode, Message, type Field } from './wire/protobuf.js'

/** Watches of one key, and a server whose messages the test sends. */
function watching({ catchUp }: { catchUp?: () => void } = {}) {
  const seen: (number | 'lost')[] = []
  const created: number[] = []
  const streams: MessageStreamEvents[] = []
  const watches = new Watches({
    open: (events) => {
      streams.push(events)
      return { send: (message) => created.push(startOf(message)), close: () => undefined }
    },
    refused: () => undefined,
  })
  const report = (what: Parameters<Parameters<Watches['add']>[2]>[0]): void => {
    seen.push(what === 'lost' ? what : what.entry.writtenAt)
  }
  watches.add({ key: 'key' }, 10, report, catchUp)
  const server = {
    created: (revision: number) => streams.at(-1)?.message(watchMessage(revision, [3, true])),
    event: (revision: number) =>
      streams.at(-1)?.message(watchMessage(revision, [11, encode([2, encode([3, revision])])])),
    compacted: (at: number) => streams.at(-1)?.message(watchMessage(at, [4, true], [5, at])),
  }
  return { watches, server, seen, created }
}

const startOf = (message: Buffer): number => new Message(message).message(1).number(3)

function watchMessage(revision: number, ...fields: readonly Field[]): Buffer {
  return encode([1, encode([3, revision])], [2, 1], ...fields)
}

it('without catchUp starts at the given revision, and is lost when that has been compacted', () => {
  const { server, seen, created } = watching()
  expect(created).toEqual([10])
  server.created(12)
  server.event(11)
  server.compacted(15)
  server.event(16)
  expect(seen).toEqual([11, 'lost'])
})

it('with catchUp starts in the present, and catches up only if the store has moved on', () => {
  const catchUp = jest.fn()
  const quiet = watching({ catchUp })
  expect(quiet.created).toEqual([0])
  quiet.server.created(9)
  expect(catchUp).not.toHaveBeenCalled()
  const busy = watching({ catchUp })
  busy.server.created(10)
  expect(catchUp).toHaveBeenCalledTimes(1)
})

it('on a store that was restored from a backup is lost, or catches up', () => {
  const past = watching()
  past.server.created(5)
  past.server.event(6)
  const catchUp = jest.fn()
  const present = watching({ catchUp })
  present.server.created(5)
  present.server.event(6)
  expect([past.seen, present.seen]).toEqual([['lost'], [6]])
  expect(catchUp).toHaveBeenCalledTimes(1)
})

it.each([
  { place: 'past', catchUp: undefined, starts: [10, 13], catches: 0 },
  { place: 'present', catchUp: jest.fn(), starts: [0, 0], catches: 1 },
])('starts again in the $place when its stream has ended', ({ catchUp, starts, catches }) => {
  const { watches, server, seen, created } = watching({ ...(catchUp && { catchUp }) })
  server.created(9)
  server.event(12)
  watches.restart()
  server.created(13)
  server.event(14)
  expect([created, seen]).toEqual([starts, [12, 14]])
  expect(catchUp?.mock.calls ?? []).toHaveLength(catches)
  watches.close()
})
