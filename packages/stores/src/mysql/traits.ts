import type { DocumentTraits } from '../documents/index.js'
import type { MysqlSettings } from './options.js'
import { maxBytes } from './session.js'

/** What the table promises: it is on disk when a step has its reply, as `innodb_flush_log_at_trx_commit` has it. */
export const traitsOf = ({ pollMs }: Pick<MysqlSettings, 'pollMs'>): DocumentTraits => ({
  pollMs,
  clockStepMs: 1,
  maxBytes,
  survives: 'restart',
  lists: true,
  commandsPerCycle: { uncontended: 4, contended: 12 },
})
