import { UnavailableError } from '../errors/errors.js'
import { KeySpace, nativeLayout } from './keys.js'
import { RedisOperator } from './operator.js'
import { RedisRegistry } from './session.js'

const unavailable = (): Promise<never> =>
  Promise.reject(new UnavailableError('no reply', { engine: 'redis' }))

/** How many keys are hashed, and how many read, when a master does not reply to a listing. */
async function lookUps(mastersLater: readonly string[]): Promise<{ hashed: number; read: number }> {
  const looked = { hashed: 0, read: 0 }
  let masters = new Set(['silent', 'other'])
  const run = unavailable
  const readHash = (): Promise<never> => {
    looked.read += 1
    return unavailable()
  }
  const keySpace = new KeySpace({ keyPrefix: '', prefix: 'lock:', groupOf: () => '', layout: nativeLayout })
  const operator = new RedisOperator({
    connection: {
      epoch: 0,
      masters: () => masters,
      routeOf: () => {
        looked.hashed += 1
        return looked.hashed % 3 === 0 ? 'silent' : 'other'
      },
      run,
      callAt: (master, _command, read) => {
        if (master !== 'silent') return Promise.resolve(read(1))
        masters = new Set(mastersLater)
        return unavailable()
      },
    },
    keySpace,
    registry: new RedisRegistry({
      connection: { run, readHash },
      keySpace,
      host: {
        clientId: 'client',
        client: { host: 'here', pid: 1, label: '', startedAt: new Date(0) },
        watchdogTimeoutMs: 30_000,
        warn: () => undefined,
      },
      inbox: '',
      hub: { verify: () => Promise.resolve() },
    }),
    clientId: 'client',
    countsReceivers: false,
    onNoticeError: () => undefined,
  })
  await expect(operator.list(null, { pattern: '*', contended: false })).rejects.toThrow(UnavailableError)
  return looked
}

describe('when a master does not reply', () => {
  it('a key of it is read, so that the cluster client finds out who has its slots', async () => {
    expect(await lookUps(['silent', 'other'])).toEqual({ hashed: 3, read: 1 })
  })

  it('nothing is looked for if the cluster client has found that out by then', async () => {
    expect(await lookUps(['other', 'new'])).toEqual({ hashed: 0, read: 0 })
  })
})
