import { formatDuration } from '../output/duration.js'
import { escapeText } from '../output/escape.js'
import { failed, ok, unknown, warning, type Finding } from './finding.js'

const electionMs = 1_000

/** How long after the death of its master a hold lives that was renewed a third of the watchdog's time ago. */
const survivedMs = (watchdogMs: number): number => (2 / 3) * watchdogMs - watchdogMs / 100 - 2

/**
 * Whether holds survive a failover.
 *
 * @param setting - what decides how long a dead master goes unnoticed, milliseconds
 */
export function checkFailOver(setting: string, timeoutMs: number, watchdogMs: number): Finding {
  const outageMs = timeoutMs + electionMs
  const leftMs = survivedMs(watchdogMs) - outageMs
  const text = `${setting} is ${formatDuration(timeoutMs)}, watchdogTimeoutMs ${formatDuration(watchdogMs)}`
  if (leftMs >= electionMs)
    return ok('failover', `${text}: holds survive with ${formatDuration(leftMs)} to spare`)
  return failed('failover', `${text}: holds are lost in a failover; lower the one or raise the other`)
}

/** @param config - the reply to CONFIG GET cluster-node-timeout; `null`: refused */
export function checkCluster(
  info: ReadonlyMap<string, string>,
  config: string | null,
  watchdogMs: number,
): Finding[] {
  const state = info.get('cluster_state') ?? ''
  const covered = Number(info.get('cluster_slots_assigned'))
  const size = info.get('cluster_size') ?? '?'
  return [
    state === 'ok'
      ? ok('cluster', `${escapeText(size)} masters, state ok`)
      : failed('cluster', `state ${escapeText(state)}, ${covered} of 16384 slots assigned`),
    config === null
      ? unknown('failover', 'cluster-node-timeout could not be read (+config|get)')
      : checkFailOver('cluster-node-timeout', Number(config), watchdogMs),
  ]
}

/** @param fields - the reply to SENTINEL MASTER */
export function checkSentinels(fields: ReadonlyMap<string, string>, watchdogMs: number): Finding[] {
  const quorum = Number(fields.get('quorum'))
  const sentinels = Number(fields.get('num-other-sentinels')) + 1
  const text = `${sentinels} know each other, quorum ${quorum}`
  return [
    sentinels >= 3 && quorum <= sentinels
      ? ok('sentinels', text)
      : warning('sentinels', `${text}: a failover needs the quorum, and a majority of at least three`),
    checkFailOver('down-after-milliseconds', Number(fields.get('down-after-milliseconds')), watchdogMs),
  ]
}
