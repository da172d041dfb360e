import { Bundle, Failure, objectsOn, Simulation, Status, type Reply, type ScriptRun } from '@holdfast/sim'
import { isFullMatrix, startRedis, type RedisServer } from '@holdfast/testkit'

let redis: RedisServer
let bundle: Bundle
beforeAll(async () => {
  redis = await startRedis()
  bundle = await Bundle.make()
})
afterAll(() => redis.stop())

const schedules = isFullMatrix ? 200 : 25

/** These change nothing at a server but what its clients send. */
const harmless: ReadonlySet<string> = new Set([
  ...[
    'blackHole',
    'blackHoleToStore',
    'blackHoleToClient',
    'reset',
    'loseReply',
    'slowLink',
    'freezeProcess',
  ],
  ...['killProcess', 'restartProcess', 'flushScripts', 'killCommands', 'strandRequests'],
])

it.each(objectsOn.redis.filter((object) => object !== 'quorum'))(
  `a real server replies to every script of ${schedules} schedules of a %s as the simulated one does`,
  async (object) => {
    for (let seed = 1; seed <= schedules; seed += 1) {
      const runs: ScriptRun[] = []
      const onRun = (run: ScriptRun): void => void runs.push(run)
      const simulation = new Simulation({ engine: 'redis', object, servers: 1, onRun }, bundle)
      const schedule = simulation.draw(seed)
      const faults = schedule.faults.filter(({ name }) => harmless.has(name))
      await simulation.play({ ...schedule, faults }, seed)
      await redis.call('FLUSHALL')
      expect(runs.length).toBeGreaterThan(10)
      for (const run of runs) {
        // It depends on the server which it is.
        if (run.lua.includes("'INFO'")) continue
        const shown = { seed, lua: run.lua, words: run.words }
        expect({ ...shown, replied: await replay(run) }).toEqual({ ...shown, replied: repliedTo(run) })
      }
    }
  },
)

/** What it replied, and what it published. */
type Replied = readonly [reply: unknown, messages: readonly string[]]

function repliedTo({ reply, messages }: ScriptRun): Replied {
  return [plain(reply), messages.map(([channel, message]) => `${channel} ${message}`)]
}

/** As a client shows it; of an error its code. */
function plain(reply: Reply): unknown {
  if (reply instanceof Failure) return codeOf(reply.text)
  if (reply instanceof Status) return reply.text
  return Array.isArray(reply) ? reply.map(plain) : reply
}

const codeOf = (text: string): string => `error ${/\b[A-Z]{3,}\b/.exec(text)?.[0] ?? text}`

async function replay({ lua, words, nowUs, subscribers }: ScriptRun): Promise<Replied> {
  const [count = '0', ...rest] = words
  try {
    const [messages, reply = null] = list(
      await redis.call('EVAL', inThatTime(lua, nowUs, subscribers), count, ...rest),
    )
    return [reply, list(messages).map(String)]
  } catch (error) {
    return [codeOf(String(error)), []]
  }
}

const list = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : [])

/**
 * The script as it runs at that instant, with those subscribers: a clock that was set cannot be had of a server, so keys are kept
 * there without a time to live, and theirs beside them.
 */
function inThatTime(lua: string, nowUs: number, subscribers: ReadonlyMap<string, number>): string {
  const nowMs = Math.floor(nowUs / 1_000)
  const counts = Array.from(subscribers, ([channel, count]) => `['${channel}'] = ${count}`)
  return `
local real, now, untils, subscribers, messages = redis, ${nowMs}, '%untils', { ${counts.join(', ')} }, {}
local all = real.call('HGETALL', untils)
for i = 1, #all, 2 do
  if tonumber(all[i + 1]) < now then
    real.call('DEL', all[i])
    real.call('HDEL', untils, all[i])
  end
end
local function keepUntil(key, at)
  if at <= now then real.call('DEL', key) else real.call('HSET', untils, key, at) end
  return 1
end
local function set(key, value, ...)
  local words, ms = {}, nil
  local i, given = 1, { ... }
  while i <= #given do
    if given[i] == 'PX' then
      ms = tonumber(given[i + 1])
      i = i + 1
    else
      words[#words + 1] = given[i]
    end
    i = i + 1
  end
  local reply = real.pcall('SET', key, value, unpack(words))
  if not (type(reply) == 'table' and reply.err) then
    real.call('HDEL', untils, key)
    if ms then keepUntil(key, now + ms) end
  end
  return reply
end
local function run(name, key, ...)
  if name == 'TIME' then return { '${Math.floor(nowUs / 1e6)}', '${nowUs % 1e6}' } end
  if name == 'PUBSUB' then return { ..., subscribers[...] or 0 } end
  if name == 'PUBLISH' then
    messages[#messages + 1] = key .. ' ' .. ...
    return subscribers[key] or 0
  end
  local isThere = real.call('EXISTS', key) == 1
  if not isThere then real.call('HDEL', untils, key) end
  if name == 'PTTL' then
    local at = real.call('HGET', untils, key)
    return not isThere and -2 or at and at - now or -1
  end
  if name == 'PEXPIRE' then return isThere and keepUntil(key, now + ...) or 0 end
  if name == 'PEXPIREAT' then
    if not tonumber(...) then return { err = 'ERR value is not an integer or out of range' } end
    return isThere and keepUntil(key, tonumber((...))) or 0
  end
  if name == 'SET' then return set(key, ...) end
  return real.pcall(name, key, ...)
end
local redis = {
  call = function(...)
    local reply = run(...)
    if type(reply) == 'table' and reply.err then error(reply) end
    return reply
  end,
  pcall = run,
  error_reply = real.error_reply,
}
local function main()
${lua}
end
local reply = main()
return { messages, reply }`
}
