import type { Row } from './connection/statement.js'

/**
 * What a commit waits for, and how many standbys there are. A role without `pg_read_all_stats` sees that a standby is
 * connected, and not whether commits wait for that one.
 */
export const standbysSql = `select current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
  (select count(*) from pg_stat_replication where coalesce(sync_state, 'sync') in ('sync', 'quorum'))`

/** Why commits may count before that many standbys have them. */
export interface Shortfall {
  /** Whether the settings are to blame: more standbys would not help. */
  readonly isBySettings: boolean
  readonly message: string
}

/**
 * @param row - of {@link standbysSql}
 * @returns `undefined` if each commit waits for that many standbys, and there are as many
 */
export function shortfallOf([names, commit, connected]: Row, minReplicas: number): Shortfall | undefined {
  const waitedFor = waitedForBy(names ?? '')
  if (waitedFor < minReplicas) {
    return {
      isBySettings: true,
      message:
        `commits wait for ${standbys(waitedFor)}, and minReplicas is ${minReplicas}: ` +
        `synchronous_standby_names is '${names ?? ''}'`,
    }
  }
  if (commit !== 'on' && commit !== 'remote_apply') {
    return {
      isBySettings: true,
      message:
        `synchronous_commit is ${commit ?? ''}: commits do not wait until a standby has stored them, as minReplicas ` +
        'demands. Set it to on for the role of Holdfast',
    }
  }
  if (Number(connected) >= minReplicas) return undefined
  return {
    isBySettings: false,
    message: `${standbys(Number(connected))} connected to the primary, and minReplicas is ${minReplicas}`,
  }
}

/** For how many standbys a commit waits: `FIRST 2 (a, b, c)`, `ANY 2 (…)`, `2 (…)`, or a list, of which the first one counts. */
export function waitedForBy(names: string): number {
  if (names.trim() === '') return 0
  const [, count] = /^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(names) ?? []
  return count === undefined ? 1 : Number(count)
}

const standbys = (count: number): string => (count === 1 ? '1 standby' : `${count} standbys`)
