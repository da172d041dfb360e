import { createServer, type Socket } from 'node:net'

export interface MuteServer {
  readonly host: string
  readonly port: number
  readonly connections: number
  close(): Promise<void>
}

/** Accepts connections, and sends `text`, if any, as its only reply. */
export async function startMuteServer(text?: string): Promise<MuteServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', () => {
      if (text !== undefined) socket.end(text)
    })
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  return {
    host: '127.0.0.1',
    port,
    get connections() {
      return sockets.size
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
