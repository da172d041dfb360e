import { connect } from 'node:net'

/** Whether a Redis at that address serves commands now: not absent, loading or unresponsive. Never rejects. */
export function answersPing(host: string, port: number, timeoutMs = 500): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const answer = (value: boolean) => {
      resolve(value)
      socket.destroy()
    }
    socket.once('connect', () => socket.write('PING\r\n'))
    // A server that requires a password is up too.
    socket.once('data', (reply) => answer(/^(\+PONG|-NOAUTH)/.test(reply.toString())))
    socket.once('timeout', () => answer(false))
    socket.once('error', () => answer(false))
    socket.once('close', () => answer(false))
  })
}
