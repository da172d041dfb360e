import { connect } from 'node:net'

/**
 * Sends one inline command and resolves with the first line of its reply, an error's line included.
 *
 * For servers that refuse the commands that a client sends when it connects. Rejects on a broken connection or after 5 seconds.
 */
export function callInline(server: { host: string; port: number }, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: server.host, port: server.port, timeout: 5_000 })
    let reply = ''
    socket.once('connect', () => socket.write(`${command}\r\n`))
    socket.on('data', (chunk) => {
      reply += chunk.toString()
      const end = reply.indexOf('\r\n')
      if (end === -1) return
      resolve(reply.slice(0, end))
      socket.destroy()
    })
    const fail = (why: string) => () => {
      reject(new Error(`${command} to port ${server.port} ${why}`))
      socket.destroy()
    }
    socket.once('timeout', fail('got no reply'))
    socket.once('error', fail('failed'))
    socket.once('close', fail('lost its connection'))
  })
}
