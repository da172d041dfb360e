import { onCas, onData, onEvictions, onMemory, onUsers, onVersion } from './findings.js'

const of = (entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(entries))
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)
const fit = of({ cas_enabled: 'yes', evictions: 'off', item_size_max: '1048576' })

describe('what an examination of memcached finds', () => {
  it('the version, and proxies by name', () => {
    expect(onVersion({ version: 'VERSION 1.6.18', settings: fit })).toMatchObject({
      status: 'ok',
      text: 'memcached 1.6.18',
    })
    const proxy = { version: 'VERSION 1.6.39', settings: of({ proxy_enabled: 'yes' }) }
    expect(onVersion(proxy)).toMatchObject({ status: 'failed', text: matching(/proxy mode/) })
  })

  it('whether CAS is on', () => {
    expect(onCas(fit).status).toBe('ok')
    expect(onCas(of({ cas_enabled: 'no' }))).toMatchObject({ status: 'failed', text: matching(/-C/) })
  })

  it('whether it evicts, and how often it has', () => {
    expect(onEvictions(fit, of({ evictions: '5' }))).toMatchObject({ status: 'ok', text: 'off (-M)' })
    expect(onEvictions(of({ evictions: 'on' }), of({ evictions: '1234' }))).toMatchObject({
      status: 'failed',
      text: matching(/^on, 1,234 so far: .* start it with -M$/),
    })
  })

  it.each([
    [{ bytes: '100', limit_maxbytes: '67108864' }, 'ok', /^1 MiB of 64 MiB$/],
    [{ bytes: '60000000', limit_maxbytes: '67108864' }, 'warning', /^58 MiB of 64 MiB: without room/],
    [
      { bytes: '100', limit_maxbytes: '67108864', store_no_memory: '7' },
      'warning',
      /7 writes found no room since it was started: raise -m/,
    ],
  ])('how full it is: %j', (stats, status, text) => {
    expect(onMemory(fit, of({ store_no_memory: '0', ...stats }))).toMatchObject({
      status,
      text: matching(text),
    })
  })

  it('items that are too small for long queues', () => {
    const stats = of({ bytes: '1', limit_maxbytes: '67108864', store_no_memory: '0' })
    expect(onMemory(of({ item_size_max: '16384' }), stats)).toMatchObject({
      status: 'warning',
      text: matching(/an item may have 16,384 bytes \(-I\): too few/),
    })
  })

  it('how old the data is, and for how long nobody can enter', () => {
    const up = of({ uptime: '5000' })
    const clock = { madeS: 100, id: 'x', closedS: 3, leaseS: 3 }
    expect(onData(undefined, up)).toMatchObject({ status: 'ok', text: matching(/^no locks so far/) })
    expect(onData({ ...clock, nowS: 4_101 }, up)).toMatchObject({
      status: 'ok',
      text: 'kept for 4,000 s, the server has run for 5,000 s',
    })
    expect(onData({ ...clock, nowS: 102 }, up)).toMatchObject({
      status: 'warning',
      text: matching(/^all was lost 1 s ago, or is new; no lock can be acquired for 3000 ms/),
    })
  })

  it('whether clients have to authenticate', () => {
    expect(onUsers(of({ auth_enabled_ascii: '/etc/users' }), true).status).toBe('ok')
    expect(onUsers(of({ auth_enabled_ascii: 'no' }), true)).toMatchObject({
      status: 'warning',
      text: matching(/^it wants no user, though one is given: everyone/),
    })
    expect(onUsers(of({ auth_enabled_ascii: 'no' }), false).status).toBe('warning')
  })
})
