import type { Holdfast, Lease } from '@holdfast/core'
import type { Redis } from 'ioredis'

/** Writes fields to a job's record, unless a newer holder has written. The record outlives any redelivery of the job. */
const write = `
if tonumber(redis.call('HGET', KEYS[1], 'token') or '0') > tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'token', unpack(ARGV))
redis.call('EXPIRE', KEYS[1], 604800)
return 1`

/** Does a job once, however often and to however many workers it is delivered. Resolves with its result. */
export async function handle(
  holdfast: Holdfast,
  redis: Redis,
  jobId: string,
  work: (idempotencyKey: string, lease: Lease) => Promise<string>,
): Promise<string> {
  return holdfast.getLock(`job:${jobId}`).withLock(async (lease) => {
    const record = `job-record:${jobId}`
    const done = await redis.hget(record, 'result')
    if (done !== null) return done
    const writeRecord = async (...fields: string[]): Promise<void> => {
      const accepted = await redis.eval(write, 1, record, lease.fencingToken, ...fields)
      if (accepted !== 1) throw new Error(`job ${jobId}: a newer holder is at work`)
    }
    // From here on, the record rejects an older holder.
    await writeRecord()
    const result = await work(jobId, lease)
    await writeRecord('result', result)
    return result
  })
}
