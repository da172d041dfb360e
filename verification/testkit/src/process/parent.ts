import { EventEmitter, once } from 'node:events'
import type { WorkerMessage } from './worker.js'

/** The worker's end of the channel. Opened on first use, so that importing this in other processes has no effect. */
let inbox: EventEmitter | null = null
const unread: WorkerMessage[] = []

/** Sends the test a message. Resolves when the system has it, so that the process may exit afterwards. */
export function tellParent(message: WorkerMessage): Promise<void> {
  listen()
  return new Promise((resolve, reject) => {
    if (!process.send) throw new Error('this process was not started by forkWorker')
    process.send(message, undefined, undefined, (error: Error | null) => {
      if (error) reject(error)
      else resolve()
    })
  })
}

/** The oldest message of that type that was not returned yet; waits for one if necessary. */
export async function fromParent(type: string): Promise<WorkerMessage> {
  const arrivals = listen()
  for (;;) {
    const at = unread.findIndex((message) => message.type === type)
    const [message] = at === -1 ? [] : unread.splice(at, 1)
    if (message) return message
    await once(arrivals, 'message')
  }
}

function listen(): EventEmitter {
  if (inbox) return inbox
  const arrivals = new EventEmitter()
  arrivals.setMaxListeners(0)
  inbox = arrivals
  process.on('message', (message: WorkerMessage) => {
    unread.push(message)
    arrivals.emit('message')
  })
  // The parent has ended, so this process has no purpose any more.
  process.on('disconnect', () => process.exit(1))
  return arrivals
}
