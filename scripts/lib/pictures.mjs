import { arrow, box, line, text } from './picture.mjs'

const lane = (y, name) => text(12, y + 20, name)
const axis = (y) => [line(96, y, 740, y, 'rule'), text(706, y + 18, 'time', 'quiet')]

/** The store in the middle, a client at each side, messages from top to bottom. */
const columns = { a: 110, store: 380, b: 650 }
const message = (from, to, y, words) => [
  arrow(
    columns[from] + (columns[to] > columns[from] ? 6 : -6),
    y,
    columns[to] + (columns[to] > columns[from] ? -6 : 6),
    y,
  ),
  text((columns[from] + columns[to]) / 2, y - 6, words, '', 'middle'),
]

/** What the documentation shows, by the name of its file. */
export const pictures = {
  'hold-wait-lose': {
    title: 'Three processes, one lock',
    description:
      'A holds the lock while B and C queue. A releases it, and it is handed to B. B loses its connection, and its signal aborts at its own deadline, before the lease expires in the store and C acquires the lock.',
    height: 250,
    parts: [
      [lane(42, 'Process A'), lane(102, 'Process B'), lane(162, 'Process C'), axis(216)],
      [
        box(96, 42, 164, 30, 'holds', 'holds the lock'),
        text(96, 32, 'lock()', 'quiet'),
        text(222, 32, 'unlock()', 'quiet'),
      ],
      [
        box(128, 102, 132, 30, 'waits', 'waits, first in line'),
        line(260, 72, 260, 102),
        text(272, 92, 'handed over in one step', 'quiet'),
      ],
      [
        box(260, 102, 120, 30, 'holds', 'holds the lock'),
        box(380, 102, 130, 30, 'broken', 'connection lost'),
      ],
      [line(510, 94, 510, 138), text(518, 112, 'its own deadline:'), text(518, 129, 'lease.signal aborts')],
      [
        box(180, 162, 396, 30, 'waits', 'waits, second in line, then first'),
        line(576, 154, 576, 198),
        text(470, 154, 'lease expires in the store', 'quiet'),
      ],
      [box(576, 162, 150, 30, 'holds', 'holds the lock')],
    ],
  },
  'owner-and-frames': {
    title: 'Owners follow the async call chain',
    description:
      'One process serves two requests. The first acquires the lock as owner c1:1. A nested call on the same lock, anywhere in the same call chain, re-enters, and the hold count becomes 2. The second request has its own owner, c1:2, and waits.',
    height: 250,
    parts: [
      [box(12, 14, 736, 222, 'box'), text(24, 34, 'one process, client c1, one lock object', 'quiet')],
      [box(30, 48, 700, 96, 'box'), text(42, 68, 'request 1: withLock → owner c1:1, hold count 1')],
      [
        box(60, 80, 420, 50, 'holds', 'await save() → … → withLock: re-enters, hold count 2'),
        text(492, 110, 'same call chain, same owner', 'quiet'),
      ],
      [
        box(30, 160, 700, 60, 'waits'),
        text(42, 182, 'request 2: withLock → owner c1:2'),
        text(42, 204, 'another call chain, another owner: waits until the hold count of c1:1 is 0', 'quiet'),
      ],
    ],
  },
  'acquire-queue-grant': {
    title: 'Acquire, queue, grant',
    description:
      'Client A acquires the lock with one command. Client B requests it and gets a queue entry. When A releases, the same script makes B the holder and sends it a notification. No other client can acquire the lock in between.',
    height: 330,
    parts: [
      [
        box(50, 14, 120, 30, 'box', 'client A', true),
        box(320, 14, 120, 30, 'box', 'store', true),
        box(590, 14, 120, 30, 'box', 'client B', true),
      ],
      Object.values(columns).map((x) => line(x, 44, x, 316, 'rule')),
      [message('a', 'store', 76, 'acquire'), message('store', 'a', 104, 'granted, token 33')],
      box(100, 108, 20, 120, 'holds'),
      [message('b', 'store', 138, 'acquire'), message('store', 'b', 166, 'queued, position 1')],
      box(640, 170, 20, 100, 'waits'),
      [message('a', 'store', 228, 'release')],
      [
        box(310, 236, 140, 24, 'holds', 'B holds, token 34', true),
        message('store', 'b', 280, 'notification: granted'),
      ],
      [
        box(640, 282, 20, 30, 'holds'),
        text(12, 300, 'one script releases, grants and notifies:', 'quiet'),
        text(12, 316, 'no gap for a third client', 'quiet'),
      ],
    ],
  },
  'lease-renewal-deadline': {
    title: 'Lease, renewal, deadline',
    description:
      'The store counts the lease from when it runs the command. The client counts its deadline from before it sent that command, and ends it one percent early. So the deadline always comes first. A renewal every third of the lease moves both forward.',
    height: 270,
    parts: [
      [lane(52, 'client'), lane(152, 'store'), axis(236)],
      [line(110, 40, 110, 94), text(104, 32, 'request sent', 'quiet'), arrow(110, 94, 140, 140)],
      [box(110, 52, 400, 30, 'holds', 'claims the hold until its deadline')],
      [
        line(510, 44, 510, 94),
        text(510, 32, 'deadline', '', 'end'),
        text(518, 32, '= sent + lease − 1%', 'quiet'),
      ],
      [box(140, 152, 400, 30, 'box', 'lease, counted from when the command ran')],
      [line(540, 144, 540, 192), text(548, 200, 'lease expires', 'quiet')],
      [
        line(243, 82, 243, 110),
        arrow(243, 110, 273, 150),
        text(252, 112, 'renewal after a third: both move forward by a third', 'quiet'),
      ],
      [box(510, 52, 133, 30, 'waits', 'next deadline'), box(540, 152, 133, 30, 'waits', 'next expiry')],
    ],
  },
  'loss-before-rival': {
    title: 'The loss is known before the next holder',
    description:
      'A loses its connection and its renewals fail. At its deadline the signal of its lease aborts, by its own clock, although the store is out of reach. Only afterwards does the lease expire in the store and B acquires the lock.',
    height: 230,
    parts: [
      [lane(52, 'client A'), lane(122, 'client B'), axis(196)],
      [
        box(96, 52, 180, 30, 'holds', 'holds, renewed'),
        box(276, 52, 220, 30, 'broken', 'connection lost: renewals fail'),
      ],
      [line(496, 44, 496, 92), text(504, 64, 'deadline: lease.signal aborts,'), text(504, 80, 'work stops')],
      [
        box(96, 122, 474, 30, 'waits', 'waits'),
        line(570, 114, 570, 160),
        text(562, 112, 'lease expires', 'quiet', 'end'),
        box(570, 122, 160, 30, 'holds', 'holds'),
      ],
      [line(496, 172, 570, 172), text(533, 188, 'margin', 'quiet', 'middle')],
    ],
  },
  'fencing-token': {
    title: 'A fencing token turns away a late write',
    description:
      'A holds the lock with token 33 and is frozen before its write. Its lease expires, and B acquires the lock with token 34 and writes. When A wakes up, its write carries 33. The data store has seen 34 and rejects it.',
    height: 270,
    parts: [
      [lane(42, 'A, token 33'), lane(112, 'B, token 34'), lane(192, 'your data')],
      [
        box(110, 42, 120, 30, 'holds', 'holds'),
        box(230, 42, 280, 30, 'broken', 'process frozen; lease expires'),
      ],
      [box(330, 112, 150, 30, 'holds', 'holds'), arrow(420, 142, 420, 190), text(428, 172, 'write, 34', '')],
      [
        box(110, 192, 630, 30, 'box'),
        text(120, 212, 'highest token seen: 33', 'quiet'),
        text(432, 212, '34', 'quiet'),
      ],
      [
        arrow(560, 57, 600, 190, 'late'),
        line(510, 57, 560, 57, 'late'),
        text(592, 120, 'late write, 33', 'bad'),
        text(600, 212, '33 < 34: rejected', 'bad'),
      ],
      text(
        110,
        250,
        'UPDATE … WHERE token <= 33 changes no row: only the store can reject what arrives late',
        'quiet',
      ),
    ],
  },
  engines: {
    title: 'One core, many stores',
    description:
      'Your code calls locks, semaphores and other objects. The core handles owners, waiting, deadlines and renewal. An engine runs small atomic steps in one store: Redis, PostgreSQL, MySQL, ZooKeeper, etcd, memcached or memory.',
    height: 280,
    parts: [
      box(12, 14, 736, 34, 'box', 'your code: withLock, tryLock, lease.signal', true),
      arrow(380, 48, 380, 64),
      box(
        12,
        66,
        736,
        34,
        'box',
        'objects: lock · read/write lock · semaphore · latch · multi lock · quorum lock',
        true,
      ),
      arrow(380, 100, 380, 116),
      box(
        12,
        118,
        736,
        34,
        'holds',
        'core: owners and re-entry · waiting · deadlines · renewal · retries · events',
        true,
      ),
      arrow(380, 152, 380, 168),
      box(
        12,
        170,
        736,
        34,
        'box',
        'engine: acquire · release · renew · refresh, each one atomic step that may run twice',
        true,
      ),
      ['Redis', 'PostgreSQL', 'MySQL', 'ZooKeeper', 'etcd', 'memcached', 'memory'].map((name, i) => [
        arrow(62 + i * 106, 204, 62 + i * 106, 226),
        box(14 + i * 106, 228, 98, 34, 'box', name, true),
      ]),
    ],
  },
}
