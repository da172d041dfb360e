import { forkWorker, scratchFolder, type Worker } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { clientOptions, type ClientOptions } from './client-options.js'
import type { RedisLibrary } from './redis-template.js'
import { processCount } from './sizes.js'
import { openTopology, type Topology, type TopologyName } from './topologies.js'
import type { Route } from './topology.js'

const ownProgram = fileURLToPath(new URL('../dist/worker.js', import.meta.url))

/** One process under test: how it reaches the servers, and the worker that runs in it now. */
export interface ClientProcess {
  readonly name: string
  readonly route: Route
  /** What it uses on Redis. Processes with either library contend. */
  readonly library: RedisLibrary
  worker: Worker
}

/** A topology with processes on it, each behind fault proxies of its own. Runs one schedule after another. */
export interface Testbed {
  readonly name: TopologyName
  readonly topology: Topology
  readonly options: ClientOptions
  readonly processes: readonly ClientProcess[]
  /** For files of the processes; deleted with the testbed. */
  readonly folder: string
  /** One that no fault touches. */
  readonly operatorRoute: Route
  /** Replaces workers that have ended; resolves when servers and connections are as they were at the start. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** @param program - of the processes; our own unless given */
export async function openTestbed(name: TopologyName, program = ownProgram): Promise<Testbed> {
  const topology = await openTopology(name)
  const folder = await scratchFolder()
  const operatorRoute = await topology.route()
  const processes: ClientProcess[] = []
  const close = async () => {
    await Promise.all(processes.map(({ worker }) => worker.kill()))
    await Promise.all([operatorRoute, ...processes.map(({ route }) => route)].map((route) => route.close()))
    await topology.stop()
    await folder.remove()
  }
  try {
    for (let n = 1; n <= processCount; n += 1) {
      const route = await topology.route()
      const library = n % 2 === 1 ? 'ioredis' : 'node-redis'
      processes.push({ name: `P${n}`, route, library, worker: await forkWorker(program) })
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    name,
    topology,
    options: { ...clientOptions, ...topology.options },
    processes,
    folder: folder.path,
    operatorRoute,
    close,
    async restore() {
      await Promise.all(
        processes.map(async (clientProcess) => {
          if (!clientProcess.worker.isRunning) clientProcess.worker = await forkWorker(program)
        }),
      )
      await topology.whenStable()
    },
  }
}
