import type { Redis } from 'ioredis'
import type { Doors } from './classic-actor.js'
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
  type Schedule,
} from './schedules.js'
import { SetNxDelLock } from './set-nx-del.js'
import { SetnxDelLock } from './setnx-del.js'
import { SetnxExpireLock } from './setnx-expire.js'

/** One step of the history of Redis locks, and the schedule that breaks it. */
export interface Stage {
  /** Its file in this folder, without the ending. */
  readonly name: string
  readonly title: string
  readonly doors: Doors
  readonly open: (redis: Redis, key: string, now: () => number) => ClassicLock
  readonly schedule: Schedule
  /** The rules that the schedule makes it break. */
  readonly breaks: readonly string[]
}

/** Long enough for the steps before its end on a busy machine, short enough to be waited for. */
const leaseMs = 300

export const stages: readonly Stage[] = [
  {
    name: 'setnx-del',
    title: 'SETNX, then DEL',
    doors: { entering: 'setnx', leaving: 'del' },
    open: (redis, key) => new SetnxDelLock(redis, key),
    schedule: crashInside,
    breaks: ['progress', 'leftovers'],
  },
  {
    name: 'setnx-expire',
    title: 'SETNX and EXPIRE apart',
    doors: { entering: 'pexpire', leaving: 'del' },
    open: (redis, key) => new SetnxExpireLock(redis, key, leaseMs),
    schedule: crashEntering,
    breaks: ['progress', 'leftovers'],
  },
  {
    name: 'set-nx-del',
    title: 'SET NX EX, then a blind DEL',
    doors: { entering: 'set', leaving: 'del' },
    open: (redis, key) => new SetNxDelLock(redis, key, leaseMs),
    schedule: lateRelease,
    breaks: ['exclusion'],
  },
  {
    name: 'get-then-del',
    title: 'A token, GET, then DEL',
    doors: { entering: 'set', leaving: 'del' },
    open: (redis, key) => new GetThenDelLock(redis, key, leaseMs),
    schedule: lateRelease,
    breaks: ['exclusion'],
  },
  {
    name: 'getset-timestamp',
    title: 'SETNX and GETSET with time stamps',
    doors: { entering: 'setnx', leaving: 'del' },
    // So long that it does not end meanwhile: it is the clock that breaks it.
    open: (redis, key, now) => new GetsetTimestampLock(redis, key, 60_000, now),
    schedule: clockAhead,
    breaks: ['exclusion'],
  },
  {
    name: 'compare-and-delete',
    title: 'SET NX PX, then compare-and-delete',
    doors: { entering: 'set', leaving: 'eval' },
    open: (redis, key) => new CompareAndDeleteLock(redis, key, leaseMs),
    schedule: pauseInside,
    breaks: ['exclusion'],
  },
]
