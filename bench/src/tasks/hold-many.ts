import { setTimeout as sleep } from 'node:timers/promises'
import { contenderOf } from '../adapters/contenders.js'
import type { Session } from '../contender.js'
import { forEachConcurrently } from '../for-each-concurrently.js'
import { loadOver, type ProcessLoad } from '../load-meter.js'
import { scriptsSent, serverNumbers } from '../server-info.js'

export interface HoldManyOrder {
  readonly title: string
  readonly url: string
  readonly count: number
  readonly leaseMs: number
  /** How long after the last acquisition the measurement starts. */
  readonly settleMs: number
  readonly measureMs: number
}

export interface KeepingCost extends ProcessLoad {
  /** Scripts sent per third of the lease. */
  readonly commandsPerPeriod: number
  readonly redisCpuShare: number
  readonly lost: number
}

/** Holds `count` locks, and measures what keeping them costs. They are still held when it returns. */
export async function holdMany(_session: Session, order: HoldManyOrder): Promise<KeepingCost> {
  const { title, url, count, leaseMs, settleMs, measureMs } = order
  const holder = await contenderOf(title).hold?.(url, leaseMs)
  if (!holder) throw new Error(`${title} does not renew locks automatically`)
  const names = Array.from({ length: count }, (_, n) => `held:${n}`)
  await forEachConcurrently(names, (name) => holder.hold(name))
  await sleep(settleMs)
  const before = await serverUse(url)
  const load = await loadOver(measureMs)
  const after = await serverUse(url)
  return {
    ...load,
    commandsPerPeriod: ((after.scripts - before.scripts) / measureMs) * (leaseMs / 3),
    redisCpuShare: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / measureMs,
    lost: holder.lost(),
  }
}

async function serverUse(url: string) {
  const { used_cpu_user, used_cpu_sys } = await serverNumbers(url, 'used_cpu_user', 'used_cpu_sys')
  return { cpuSeconds: used_cpu_user + used_cpu_sys, scripts: (await scriptsSent(url)).calls }
}
