import { queue as asyncQueue } from 'async'
import Bottleneck from 'bottleneck'
import DataLoader from 'dataloader'
import fastq from 'fastq'
import { createPool, type Factory, type Pool } from 'generic-pool'
import PQueue from 'p-queue'

type Job = () => Promise<void>
/** `(fn) => holdfast.bind(fn)` */
export type Bind = <A extends unknown[], T>(fn: (...args: A) => T) => (...args: A) => T

/**
 * Ways to queue a job; what they return resolves when it has run. Call one outside of all holds: a batch, which works for several
 * requests at once, is bound there.
 */
export const through: Readonly<Record<string, (bind: Bind) => (job: Job) => Promise<void>>> = {
  'p-queue': (bind) => {
    const queue = new PQueue({ concurrency: 2 })
    return (job) => queue.add(bind(job))
  },
  async: (bind) => {
    const queue = asyncQueue((job: Job, done) => {
      job().then(() => {
        done()
      }, done)
    }, 2)
    return (job) => queue.pushAsync(bind(job))
  },
  fastq: (bind) => {
    const queue = fastq.promise(async (job: Job) => job(), 2)
    return (job) => queue.push(bind(job))
  },
  bottleneck: (bind) => {
    const limiter = new Bottleneck({ maxConcurrent: 2 })
    return (job) => limiter.schedule(bind(job))
  },
  dataloader: (bind) => {
    const runBatch = (jobs: readonly Job[]) => Promise.all(jobs.map((job) => job()))
    const loader = new DataLoader(bind(runBatch), { cache: false })
    return (job) => loader.load(job)
  },
  setTimeout: (bind) => {
    const batch: Job[] = []
    const runBatch = bind(() => {
      for (const run of batch.splice(0)) void run()
    })
    return (job) =>
      new Promise((resolve, reject) => {
        if (batch.length === 0) setTimeout(runBatch, 5)
        batch.push(() => job().then(resolve, reject))
      })
  },
}

/** A pool creates a resource for one request during the call of another. Bound outside of all holds, it belongs to neither. */
export function makePool<T>(bind: Bind, factory: Factory<T>): Pool<T> {
  return createPool({ ...factory, create: bind(() => factory.create()) }, { max: 1 })
}
