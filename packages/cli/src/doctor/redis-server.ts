import { grouped } from '../output/count.js'
import { escapeText } from '../output/escape.js'
import { failed, ok, unknown, warning, type Finding } from './finding.js'

type Info = ReadonlyMap<string, string>

/** What INFO of a master says about its fitness for locks. */
export const checkServer = (info: Info): Finding[] => [
  checkVersion(info),
  checkRole(info),
  checkEviction(info),
  checkReplicas(info),
  checkConnections(info),
]

function checkVersion(info: Info): Finding {
  const valkey = info.get('valkey_version')
  if (valkey !== undefined) return ok('version', `Valkey ${escapeText(valkey)}`)
  const redis = info.get('redis_version') ?? ''
  const [major = 0, minor = 0] = redis.split('.').map(Number)
  const text = `Redis ${escapeText(redis)}`
  if (major > 6 || (major === 6 && minor >= 2)) return ok('version', text)
  return failed('version', `${text}: Holdfast needs 6.2 or later, or Valkey`)
}

function checkRole(info: Info): Finding {
  const role = info.get('role')
  if (role === 'master') return ok('role', 'master')
  return failed('role', `${escapeText(role ?? 'unknown')}: locks need the master, point clients at it`)
}

function checkEviction(info: Info): Finding {
  const policy = info.get('maxmemory_policy') ?? ''
  const limit = Number(info.get('maxmemory') ?? 0)
  if (policy === 'noeviction') return ok('eviction', 'noeviction')
  const what = `maxmemory-policy is ${escapeText(policy)}`
  return limit === 0
    ? warning(
        'eviction',
        `${what}, without effect while there is no maxmemory: set noeviction before there is one`,
      )
    : failed('eviction', `${what}: Redis may evict locks that are held; set noeviction`)
}

function checkReplicas(info: Info): Finding {
  const replicas = Number(info.get('connected_slaves') ?? 0)
  if (replicas > 0) return ok('replicas', `${replicas} connected`)
  return warning(
    'replicas',
    'none: if this server is lost, so are all locks; minReplicas would reject every acquisition',
  )
}

const fullShare = 0.8

function checkConnections(info: Info): Finding {
  const used = Number(info.get('connected_clients'))
  const most = Number(info.get('maxclients'))
  if (!most) return unknown('connections', 'the server does not say how many it takes (maxclients)')
  const text = `${grouped(used)} of ${grouped(most)} (maxclients)`
  return used < fullShare * most
    ? ok('connections', text)
    : warning('connections', `${text}: each process takes two; the server rejects those beyond its limit`)
}
