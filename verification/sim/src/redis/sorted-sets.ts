import { range } from './collections.js'
import type { Command, CommandContext } from './command.js'
import { CommandError } from './database.js'
import { bound, integer, scoreOf, scoreText } from './numbers.js'
import type { Reply } from './reply.js'

type Scored = readonly [member: string, score: number]

const scoresAt = ({ database }: CommandContext, key: string) => database.read(key, 'zset')?.scores

/** In the order of the set. */
const sorted = (context: CommandContext, key: string): Scored[] =>
  [...(scoresAt(context, key) ?? [])].sort(
    ([a, scoreA], [b, scoreB]) => scoreA - scoreB || (a < b ? -1 : a > b ? 1 : 0),
  )

export const sortedSets: Readonly<Record<string, Command>> = {
  ZCARD: { run: (context, key = '') => scoresAt(context, key)?.size ?? 0 },
  ZSCORE: {
    run: (context, key = '', member = '') => {
      const score = scoresAt(context, key)?.get(member)
      return score === undefined ? null : scoreText(score)
    },
  },
  ZCOUNT: { run: (context, key = '', min = '', max = '') => between(context, key, min, max).length },
  ZRANGE: {
    run: (context, key = '', from = '', to = '', ...options) => {
      const all = sorted(context, key)
      return shown(all.slice(...range(all.length, integer(from), integer(to))), options)
    },
  },
  ZRANGEBYSCORE: {
    run: (context, key = '', min = '', max = '', ...options) => {
      const limit = options.findIndex((option) => option.toUpperCase() === 'LIMIT')
      const all = between(context, key, min, max)
      if (limit === -1) return shown(all, options)
      const [from, count] = [integer(options[limit + 1] ?? ''), integer(options[limit + 2] ?? '')]
      return shown(all.slice(from, count < 0 ? undefined : from + count), options)
    },
  },
  ZREMRANGEBYSCORE: {
    writes: true,
    run: (context, key = '', min = '', max = '') =>
      remove(
        context,
        key,
        between(context, key, min, max).map(([member]) => member),
      ),
  },
  ZREM: { writes: true, run: (context, key = '', ...members) => remove(context, key, members) },
  ZADD: { writes: true, grows: true, run: add },
}

function between(context: CommandContext, key: string, min: string, max: string): Scored[] {
  const [low, high] = [bound(min), bound(max)]
  return sorted(context, key).filter(
    ([, score]) =>
      (low.isOpen ? score > low.score : score >= low.score) &&
      (high.isOpen ? score < high.score : score <= high.score),
  )
}

function shown(scored: readonly Scored[], options: readonly string[]): Reply {
  const hasScores = options.some((option) => option.toUpperCase() === 'WITHSCORES')
  return scored.flatMap(([member, score]) => (hasScores ? [member, scoreText(score)] : [member]))
}

function remove(context: CommandContext, key: string, members: readonly string[]): number {
  const known = scoresAt(context, key)
  if (!known || !members.some((member) => known.has(member))) return 0
  const scores = toWrite(context, key)
  const gone = members.filter((member) => scores.delete(member)).length
  context.database.settle(key)
  return gone
}

const toWrite = ({ database }: CommandContext, key: string) =>
  database.write(key, 'zset', () => ({ type: 'zset', scores: new Map() })).scores

function add(context: CommandContext, key = '', ...words: string[]): Reply {
  const known = scoresAt(context, key)
  const flags = new Set<string>()
  while (/^(XX|GT|CH)$/i.test(words[0] ?? '')) flags.add(words.shift()?.toUpperCase() ?? '')
  let [added, changed] = [0, 0]
  const scores = new Map(known)
  for (let at = 0; at < words.length; at += 2) {
    const [score, member = ''] = [scoreOf(words[at] ?? ''), words[at + 1]]
    if (Number.isNaN(score)) throw new CommandError('ERR value is not a valid float')
    const before = scores.get(member)
    if (before === undefined ? flags.has('XX') : flags.has('GT') && score <= before) continue
    if (before === undefined) added += 1
    else if (before !== score) changed += 1
    scores.set(member, score)
  }
  if (added + changed > 0) for (const [member, score] of scores) toWrite(context, key).set(member, score)
  return flags.has('CH') ? added + changed : added
}
