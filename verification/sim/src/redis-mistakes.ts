import type { Edit } from './bundle.js'
import { mistakesIn, type Mistake } from './mistake.js'

const edit =
  (of: Edit['of']) =>
  (file: string, find: string, replace: string): Edit => ({ of, file, find, replace })
const inCore = edit('core')
const inPubsub = edit('pubsub')

const scripts = 'redis/scripts/generated.js'

/** A grant whose notice reached nobody is undone; by then replicas have passed the notice on. */
const grantFirst: readonly Edit[] = [
  inCore(scripts, 'mayGrant = isSubscribed\nend', 'end'),
  inCore(
    scripts,
    "call('HDEL', waitersKey, waiter)\nnoticeError = type(received) == 'table' and received.err or ''\ngranted = newHolder",
    "noticeError = type(received) == 'table' and received.err or ''\n" +
      "if received == 0 and inboxIsChecked == '1' then\ncall('DEL', lockKey)\nelse\ncall('HDEL', waitersKey, waiter)\ngranted = newHolder\nend",
  ),
]

const ownMistakes: readonly Mistake[] = [
  {
    name: 'a grant that nobody heard of is undone after it was published',
    engine: 'redis',
    object: 'lock',
    shownBy: 120,
    breaks: ['exclusion'],
    edits: grantFirst,
  },
  {
    name: 'a grant is undone after it was published, and subscribers stay at a replica',
    engine: 'redis',
    object: 'lock',
    shownBy: 15,
    breaks: ['exclusion'],
    edits: [...grantFirst, inPubsub('subscriber-hub.js', 'if (isReached)', 'if (true)')],
  },
  {
    name: 'errors of Redis 6.2 are taken as they are',
    engine: 'redis',
    object: 'lock',
    shownBy: 14,
    breaks: ['progress'],
    edits: [inPubsub('subscriber-hub.js', '/^[A-Z]+ /.test(said) ? said', 'false ? said')],
  },
  {
    name: 'a subscriber that was lost is not replaced',
    engine: 'redis',
    object: 'lock',
    shownBy: 1,
    breaks: ['leftovers'],
    edits: [
      inPubsub('subscriber-hub.js', 'void this.connect(), reconnectAfterMs', 'void 0, reconnectAfterMs'),
    ],
  },
  {
    name: 'a subscriber at a replica is kept',
    engine: 'redis',
    object: 'lock',
    shownBy: 3,
    breaks: ['leftovers'],
    edits: [inPubsub('subscriber-hub.js', 'if (isReached)', 'if (true)')],
  },
]

export const redisMistakes: readonly Mistake[] = [
  ...ownMistakes,
  ...mistakesIn('core', 'redis', [
    [
      'a script is not sent again to a server that was restarted',
      'lock',
      3,
      ['progress'],
      [
        'redis/connection/script-connection.js',
        'if (hasCode(error, "NOSCRIPT"))',
        'if (hasCode(error, "NOSCRIPT") && this.epoch === 0)',
      ],
    ],
    [
      'a server that has become a replica is not left',
      'lock',
      34,
      ['progress'],
      ['redis/connection/script-connection.js', 'if (hasCode(thrown, "READONLY"))', 'if (false)'],
    ],
    [
      'any notice of a grant is believed',
      'lock',
      25,
      ['exclusion'],
      ['store-client.js', 'notice.proof === proofs.of(owner) && isPlausible(notice)', 'true'],
    ],
    [
      'a grant has no time to live',
      'lock',
      1,
      ['leftovers', 'progress'],
      [
        scripts,
        "call('HSET', lockKey, newHolder, '1')\ncall('PEXPIRE', lockKey, newLeaseMs)",
        "call('HSET', lockKey, newHolder, '1')",
      ],
    ],
    [
      'the last in a queue of Redis is served first',
      'lock',
      7,
      ['order'],
      [
        scripts,
        "rank and rank + 1 or call('RPUSH', queueKey, owner)",
        "rank and rank + 1 or call('LPUSH', queueKey, owner)",
      ],
    ],
    [
      'a full server ends holds',
      'read-write-lock',
      58,
      ['losses'],
      [scripts, "if type(reply) == 'table' then\nredis.call(command", 'if false then\nredis.call(command'],
    ],
    [
      'a temporary refusal of the server is final',
      'lock',
      3,
      ['progress'],
      ['redis/errors.js', '|READONLY|UNBLOCKED|', '|UNBLOCKED|'],
    ],
    [
      'a quorum that wins at the end of its wait may take any time to settle',
      'quorum',
      17,
      ['progress'],
      ['quorum/acquisition.js', 'this.limitTo(lateSettlingMs);', ''],
    ],
  ]),
]
