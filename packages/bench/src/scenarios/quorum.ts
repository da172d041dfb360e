import { countCommands, startIndependents } from '@holdfast/testkit'
import type { Session } from '../contender.js'
import type { Figure } from '../figure.js'
import { contend, cycle, percentile } from '../quorum/contend.js'
import type { Contended } from '../quorum/contend.js'
import { quorumContenders } from '../quorum/contenders.js'
import { interleaved } from '../rounds.js'
import type { Plan, Scenario } from '../scenario.js'

const name = 'quorum'
const contenders = 8
/** How long each contender holds the lock. A poller's attempts grow with it, a waiter in a queue sends nothing. */
const holdTimesMs = [20, 50]

interface Opened {
  readonly library: string
  readonly sessions: readonly Session[]
}

/** A lock on 3 and on 5 independent masters, free and with 8 contenders, beside the libraries that implement Redlock. */
export const quorum: Scenario = {
  name,
  title: `A lock on several masters, with ${contenders} contenders`,
  compares: { what: 'waitMsP99', lessIsBetter: true },
  onlyByName: true,
  async run(plan) {
    const figures: Figure[] = []
    for (const masters of [3, 5]) figures.push(...(await onMasters(masters, plan)))
    return figures
  },
}

async function onMasters(masters: number, plan: Plan): Promise<Figure[]> {
  await using independents = await startIndependents(masters)
  const urls = independents.servers.map(({ url }) => url)
  const opened = await Promise.all(
    quorumContenders.map(async (contender): Promise<Opened> => {
      const sessions = await Promise.all(Array.from({ length: contenders }, () => contender.open(urls)))
      return { library: contender.library, sessions }
    }),
  )
  try {
    const forMs = plan.isTrial ? 60 : 2_000
    const figures: Figure[] = []
    for (const holdMs of holdTimesMs) {
      for (const { sessions } of opened) await contend(sessions, { holdMs, forMs: forMs / 3 })
      const seen = await interleaved(opened, plan.rounds, async ({ sessions }) => {
        const [first] = sessions
        const { entries, waitsMs } = await contend(sessions, { holdMs, forMs })
        return {
          waitMsP99: percentile(waitsMs, 0.99),
          waitMsP50: percentile(waitsMs, 0.5),
          entriesPerSecond: (1_000 * entries) / forMs,
          usPerFreeCycle: first ? await cycle(first, forMs / 5) : 0,
        }
      })
      for (const [{ library, sessions }, medians] of seen) {
        const commandsPerEntry = await commandsOf(urls, () => contend(sessions, { holdMs, forMs: forMs / 3 }))
        const at = { masters, holdMs }
        figures.push({ scenario: name, of: library, at, seen: { ...medians, commandsPerEntry } })
      }
    }
    return figures
  } finally {
    for (const { sessions } of opened) await Promise.all(sessions.map((session) => session.close()))
  }
}

/** Commands per entry at all masters together. Servers in MONITOR mode are slower, so nothing is timed here. */
async function commandsOf(urls: readonly string[], run: () => Promise<Contended>): Promise<number> {
  let sent = 0
  let counted: () => Promise<Contended> = run
  for (const url of urls) {
    const inner = counted
    counted = async () => {
      const { value, counts } = await countCommands(url, inner)
      for (const times of counts.values()) sent += times
      return value
    }
  }
  const { entries } = await counted()
  return sent / entries
}
