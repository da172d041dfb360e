import { connect } from 'node:net'

/** Whether a Redis at that place serves commands now: not absent, not loading, not silent. Never rejects. */
export function answersPing(host: string, port: number, timeoutMs = 500): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const answer = (value: boolean) => {
      resolve(value)
      socket.destroy()
    }
    socket.once('connect', () => socket.write('PING\r\n'))
    // A server that wants a password is up as well.
    socket.once('data', (reply) => {
      answer(/^(\+PONG|-NOAUTH)/.test(reply.toString()))
    })
    socket.once('timeout', () => {
      answer(false)
    })
    socket.once('error', () => {
      answer(false)
    })
    socket.once('close', () => {
      answer(false)
    })
  })
}
