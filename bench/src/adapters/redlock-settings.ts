import { pollMs } from './common.js'

/** The settings that redlock and its forks have in common. */
export interface RedlockSettings {
  readonly retryDelay?: number
  readonly retryJitter?: number
  readonly retryCount?: number
}

const patient = { retryDelay: pollMs, retryJitter: 0, retryCount: -1 }

export const redlockSettings = {
  best: {
    configuration: 'best',
    settings: `retryDelay ${pollMs}, retryJitter 0, retryCount -1 (retries indefinitely)`,
    options: patient,
  },
  defaults: {
    configuration: 'defaults',
    settings: 'none; called again when it gives up after 10 retries',
    options: {},
  },
  quorum: { ...patient, retryJitter: pollMs },
} as const
