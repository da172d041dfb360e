import { setTimeout as pause } from 'node:timers/promises'
import { countCommands, startIndependents, uniqueName } from '@holdfast/testkit'
import { quantile } from 'simple-statistics'
import { compare, type Subject } from '../compare.js'
import { ableTo, titleOf, type Session } from '../contender.js'
import type { Figure, Plan, Scenario } from '../scenario.js'

const sessionsEach = 8
/** How long each contender holds the lock. A poller's attempts grow with it, a waiter in a queue sends nothing. */
const holdTimesMs = [20, 50]

/** A lock on 3 and on 5 independent masters, free and with 8 contenders, beside the libraries that implement Redlock. */
export const quorum: Scenario = {
  name: 'quorum',
  title: `A lock on several masters, with ${sessionsEach} contenders`,
  compares: { what: 'waitMsP99', lessIsBetter: true },
  onlyByName: true,
  async run(plan) {
    const figures: Figure[] = []
    for (const masters of plan.isTrial ? [3] : [3, 5]) figures.push(...(await onMasters(masters, plan)))
    return figures
  },
}

async function onMasters(masters: number, plan: Plan): Promise<Figure[]> {
  await using independents = await startIndependents(masters)
  const urls = independents.servers.map(({ url }) => url)
  const { contenders, say, isTrial, rounds } = plan
  const able = ableTo('lock a quorum', contenders, ({ openQuorum }) => openQuorum !== undefined, {
    titleOf,
    say,
  })
  const opened: { readonly of: string; readonly sessions: readonly Session[] }[] = []
  try {
    for (const contender of able) {
      const opening = Array.from(
        { length: sessionsEach },
        async () => (await contender.openQuorum?.(urls)) ?? [],
      )
      opened.push({ of: titleOf(contender), sessions: (await Promise.all(opening)).flat() })
    }
    const forMs = isTrial ? 60 : 2_000
    const subjects = holdTimesMs.flatMap((holdMs) =>
      opened.map(({ of, sessions }): Subject & { readonly warmUp: () => Promise<unknown> } => ({
        of,
        at: { masters, holdMs },
        warmUp: () => contend(sessions, holdMs, forMs / 3),
        async measure() {
          const waitsMs = await contend(sessions, holdMs, forMs)
          return {
            waitMsP99: quantile(waitsMs, 0.99),
            waitMsP50: quantile(waitsMs, 0.5),
            entriesPerSecond: (1_000 * waitsMs.length) / forMs,
            usPerFreeCycle: await usPerCycle(sessions[0], forMs / 5),
          }
        },
        count: async () => ({
          commandsPerEntry: await commandsOf(urls, () => contend(sessions, holdMs, forMs / 3)),
        }),
      })),
    )
    for (const { warmUp } of isTrial ? [] : subjects) await warmUp()
    return await compare(rounds, subjects)
  } finally {
    for (const { sessions } of opened) await Promise.all(sessions.map((session) => session.close()))
  }
}

/** Has all sessions enter one lock over and over; how long each entry took. Throws when two are inside at once. */
async function contend(sessions: readonly Session[], holdMs: number, forMs: number): Promise<number[]> {
  const name = uniqueName('contended')
  const endAt = performance.now() + forMs
  const waitsMs: number[] = []
  let inside = 0
  await Promise.all(
    sessions.map(async (session) => {
      while (performance.now() < endAt) {
        const askedAt = performance.now()
        const release = await session.enter(name)
        waitsMs.push(performance.now() - askedAt)
        if (++inside > 1) throw new Error(`two are inside ${name}`)
        await pause(holdMs)
        inside--
        await release()
      }
    }),
  )
  return waitsMs
}

/** One session enters a free lock over and over for that long. */
async function usPerCycle(session: Session | undefined, forMs: number): Promise<number> {
  const name = uniqueName('cycle')
  const startedAt = performance.now()
  let cycles = 0
  while (performance.now() < startedAt + forMs) {
    const release = await session?.enter(name)
    await release?.()
    cycles++
  }
  return (1_000 * (performance.now() - startedAt)) / cycles
}

/** Commands per entry at all masters together. Servers in MONITOR mode are slower, so nothing is timed here. */
async function commandsOf(urls: readonly string[], run: () => Promise<readonly number[]>): Promise<number> {
  let sent = 0
  let counted = run
  for (const url of urls) {
    const inner = counted
    counted = async () => {
      const { value, counts } = await countCommands(url, inner)
      for (const times of counts.values()) sent += times
      return value
    }
  }
  const entries = await counted()
  return sent / entries.length
}
