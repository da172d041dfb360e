import type { Redis } from 'ioredis'
import type { LastCommands } from './classic-participant.js'
import type { ClassicLock } from './classic-lock.js'
import { CompareAndDeleteLock } from './compare-and-delete.js'
import { GetThenDelLock } from './get-then-del.js'
import { GetsetTimestampLock } from './getset-timestamp.js'
import {
  clockAhead,
  crashEntering,
  crashInside,
  lateRelease,
  pauseInside,
  type DirectedSchedule,
} from './directed-schedules.js'
import { SetNxDelLock } from './set-nx-del.js'
import { SetnxDelLock } from './setnx-del.js'
import { SetnxExpireLock } from './setnx-expire.js'

/** One step of the history of Redis locks, and the schedule that breaks it. */
export interface ClassicStage {
  /** Its file in this folder, without the extension. */
  readonly name: string
  readonly title: string
  readonly lastCommands: LastCommands
  readonly open: (redis: Redis, key: string, now: () => number) => ClassicLock
  readonly schedule: DirectedSchedule
  /** The promises that the schedule makes it break. */
  readonly breaks: readonly string[]
}

/** Long enough for the steps that must happen before it expires on a busy machine, short enough to wait for. */
const leaseMs = 300

export const classicStages: readonly ClassicStage[] = [
  {
    name: 'setnx-del',
    title: 'SETNX, then DEL',
    lastCommands: { acquire: 'setnx', release: 'del' },
    open: (redis, key) => new SetnxDelLock(redis, key),
    schedule: crashInside,
    breaks: ['progress', 'leftovers'],
  },
  {
    name: 'setnx-expire',
    title: 'SETNX and EXPIRE apart',
    lastCommands: { acquire: 'pexpire', release: 'del' },
    open: (redis, key) => new SetnxExpireLock(redis, key, leaseMs),
    schedule: crashEntering,
    breaks: ['progress', 'leftovers'],
  },
  {
    name: 'set-nx-del',
    title: 'SET NX EX, then a blind DEL',
    lastCommands: { acquire: 'set', release: 'del' },
    open: (redis, key) => new SetNxDelLock(redis, key, leaseMs),
    schedule: lateRelease,
    breaks: ['exclusion'],
  },
  {
    name: 'get-then-del',
    title: 'A token, GET, then DEL',
    lastCommands: { acquire: 'set', release: 'del' },
    open: (redis, key) => new GetThenDelLock(redis, key, leaseMs),
    schedule: lateRelease,
    breaks: ['exclusion'],
  },
  {
    name: 'getset-timestamp',
    title: 'SETNX and GETSET with time stamps',
    lastCommands: { acquire: 'setnx', release: 'del' },
    // Too long to expire during the schedule: it is the clock that breaks this lock.
    open: (redis, key, now) => new GetsetTimestampLock(redis, key, 60_000, now),
    schedule: clockAhead,
    breaks: ['exclusion'],
  },
  {
    name: 'compare-and-delete',
    title: 'SET NX PX, then compare-and-delete',
    lastCommands: { acquire: 'set', release: 'eval' },
    open: (redis, key) => new CompareAndDeleteLock(redis, key, leaseMs),
    schedule: pauseInside,
    breaks: ['exclusion'],
  },
]
