import type { Store } from '../connect/store.js'
import { messageOf } from '../exit-codes.js'
import { escapeSentence } from '../output/escape.js'
import { unknown, type Finding } from './finding.js'

/** What the engine itself finds out about its store. */
export async function checkEngine(
  { engine, timeoutMs }: Extract<Store, { kind: 'engine' }>,
  watchdogTimeoutMs: number,
): Promise<Finding[]> {
  try {
    const findings = (await engine.examine?.({ watchdogTimeoutMs, timeoutMs })) ?? []
    return findings.map((finding) => ({ ...finding, text: escapeSentence(finding.text) }))
  } catch (error) {
    return [unknown('server', escapeSentence(messageOf(error)))]
  }
}
