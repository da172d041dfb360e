import type { Finding } from '@holdfast/core/engine'
import { ageMs, opensInMs, type ClockReading } from '../clock-key.js'
import type { ServerWord } from '../greeting.js'
import { evicts, unfit } from '../server-check.js'

type Stats = ReadonlyMap<string, string>

const fullShare = 0.8
/** Documents of objects with very many waiters. */
const fewestItemBytes = 1024 ** 2

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2).toLocaleString('en')} MiB`
const numberOf = (stats: Stats, name: string): number => Number(stats.get(name) ?? NaN)

export function onVersion({ version, settings }: ServerWord): Finding {
  const check = 'server'
  // What has findings of its own is not meant here.
  const others = new Map([...settings, ['cas_enabled', 'yes']])
  const reason = unfit({ version, settings: others }, true)
  if (reason !== undefined) return { check, status: 'failed', text: reason }
  return { check, status: 'ok', text: `memcached ${version.replace('VERSION ', '')}` }
}

export function onCas(settings: Stats): Finding {
  const check = 'CAS'
  return settings.get('cas_enabled') === 'no'
    ? { check, status: 'failed', text: 'off (-C): Holdfast cannot keep locks here; start it without -C' }
    : { check, status: 'ok', text: 'on' }
}

export function onEvictions(settings: Stats, stats: Stats): Finding {
  const check = 'evictions'
  const count = numberOf(stats, 'evictions')
  const seen = count > 0 ? `${count.toLocaleString('en')} so far` : 'none so far'
  if (!evicts(settings)) return { check, status: 'ok', text: 'off (-M)' }
  const text = `on, ${seen}: when it is full it deletes locks to make room, and two owners may hold one; start it with -M`
  return { check, status: 'failed', text }
}

export function onMemory(settings: Stats, stats: Stats): Finding {
  const check = 'memory'
  const [used, limit] = [numberOf(stats, 'bytes'), numberOf(stats, 'limit_maxbytes')]
  const refused = numberOf(stats, 'store_no_memory')
  const text = `${inMegabytes(used)} of ${inMegabytes(limit)}`
  if (refused > 0) {
    const many = `${refused.toLocaleString('en')} writes found no room since it was started`
    return { check, status: 'warning', text: `${text}, ${many}: raise -m, or keep nothing but locks in it` }
  }
  if (used >= fullShare * limit) {
    return {
      check,
      status: 'warning',
      text: `${text}: without room no lock can be acquired or renewed; raise -m`,
    }
  }
  const itemBytes = numberOf(settings, 'item_size_max')
  if (itemBytes < fewestItemBytes) {
    const few = `an item may have ${itemBytes.toLocaleString('en')} bytes (-I)`
    return { check, status: 'warning', text: `${text}; ${few}: too few for a lock with thousands of waiters` }
  }
  return { check, status: 'ok', text }
}

/** @param clock - `undefined`: no client has used this prefix since the data began */
export function onData(clock: ClockReading | undefined, stats: Stats): Finding {
  const check = 'data'
  const upS = numberOf(stats, 'uptime')
  const up = `the server has run for ${upS.toLocaleString('en')} s`
  if (!clock) {
    return {
      check,
      status: 'ok',
      text: `no locks so far, ${up}; the first one waits for graceMs, by default watchdogTimeoutMs`,
    }
  }
  const ageS = ageMs(clock) / 1_000
  const closedMs = opensInMs(clock)
  if (closedMs > 0) {
    const text = `all was lost ${ageS} s ago, or is new; no lock can be acquired for ${closedMs} ms, until every holder has noticed`
    return { check, status: 'warning', text }
  }
  return { check, status: 'ok', text: `kept for ${ageS.toLocaleString('en')} s, ${up}` }
}

export function onUsers(settings: Stats, hasUser: boolean): Finding {
  const check = 'users'
  if (hasUser && settings.get('auth_enabled_ascii') !== 'no')
    return { check, status: 'ok', text: 'clients have to authenticate' }
  const reason = hasUser ? 'it wants no user, though one is given: ' : ''
  const text = `${reason}everyone who can connect may take any lock and delete all: bind it to a private address, or give it an --auth-file`
  return { check, status: 'warning', text }
}
