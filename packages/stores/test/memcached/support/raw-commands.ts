import { connect } from 'node:net'
import { ReplyStream, type Reply } from '../../../src/memcached/client/reply-stream.js'

/** What another application, or an operator, sends to a server: replies in order. */
export function rawCommands(
  { host, port }: { readonly host: string; readonly port: number },
  ...commands: readonly string[]
): Promise<readonly Reply[]> {
  return new Promise((resolve, reject) => {
    const stream = new ReplyStream()
    const replies: Reply[] = []
    const socket = connect({ host, port }, () => socket.write(commands.join('')))
    socket.setTimeout(10_000, () => socket.destroy(new Error('no reply within 10 s')))
    socket.once('error', reject)
    socket.on('data', (bytes: Buffer) => {
      replies.push(...stream.push(bytes))
      if (replies.length < commands.length) return
      socket.destroy()
      resolve(replies)
    })
  })
}

/** Writes until the server takes no more, in items of this size; all that expires does so after an hour. */
export async function fill(
  server: { readonly host: string; readonly port: number },
  bytes: number,
): Promise<void> {
  const text = 'x'.repeat(bytes)
  for (let n = 0; ; n += 100) {
    const commands = Array.from(
      { length: 100 },
      (_, i) => `set filler-${bytes}-${n + i} 0 3600 ${bytes}\r\n${text}\r\n`,
    )
    const replies = await rawCommands(server, ...commands)
    if (replies.every(({ code }) => code === 'SERVER_ERROR')) return
  }
}
