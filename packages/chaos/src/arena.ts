import { forkWorker, proxyNodes, scratchFolder, type ProxiedNodes, type Worker } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { clientOptions, type ClientOptions } from './client-options.js'
import { processCount } from './sizes.js'
import { openTopology, type Topology, type TopologyName } from './topologies.js'

const ownProgram = fileURLToPath(new URL('../dist/worker.js', import.meta.url))

/** One process of an arena: its links, and the worker that plays it now. */
export interface Seat {
  readonly name: string
  readonly links: ProxiedNodes
  worker: Worker
}

/** A topology with processes on it, each behind fault proxies of its own. Plays one schedule after the other. */
export interface Arena {
  readonly name: TopologyName
  readonly topology: Topology
  readonly options: ClientOptions
  readonly seats: readonly Seat[]
  /** For files of the processes; gone with the arena. */
  readonly folder: string
  /** Links that no fault touches. */
  readonly operatorLinks: ProxiedNodes
  /** Replaces workers that are gone, and resolves when servers and links are as on the first day. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** @param program - the worker program; that of a broken variant, or our own. */
export async function openArena(name: TopologyName, program = ownProgram): Promise<Arena> {
  const topology = await openTopology(name)
  const folder = await scratchFolder()
  const operatorLinks = await proxyNodes(topology.servers)
  const seats: Seat[] = []
  const close = async () => {
    await Promise.all(seats.map(({ worker }) => worker.kill()))
    await Promise.all([operatorLinks, ...seats.map(({ links }) => links)].map((links) => links.close()))
    await topology.stop()
    await folder.remove()
  }
  try {
    for (let n = 1; n <= processCount; n += 1) {
      const links = await proxyNodes(topology.servers)
      seats.push({ name: `P${n}`, links, worker: await forkWorker(program) })
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    name,
    topology,
    options: { ...clientOptions, ...topology.options },
    seats,
    folder: folder.path,
    operatorLinks,
    close,
    async restore() {
      await Promise.all(
        seats.map(async (seat) => {
          if (!seat.worker.isRunning) seat.worker = await forkWorker(program)
        }),
      )
      await topology.whenStable()
    },
  }
}
