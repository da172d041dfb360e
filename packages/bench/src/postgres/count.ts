import { commandsPerCycle, handshakeAndPings } from '../commands.js'
import type { Contender } from '../contender.js'
import type { Pace } from '../tasks/cycles.js'
import { onRedis } from './contenders.js'
import type { Servers } from './servers.js'
import { statementsPerCycle } from './statements.js'

/** Statements, or commands of Redis, that a contender sends per cycle while `run` runs. */
export const sentPerCycle = (
  contender: Contender,
  { postgres, urlOf }: Servers,
  run: () => Promise<Pace>,
): Promise<number> =>
  contender === onRedis
    ? commandsPerCycle(urlOf(contender), run, handshakeAndPings)
    : statementsPerCycle(postgres, run)
