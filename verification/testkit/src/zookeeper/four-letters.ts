import { connect } from 'node:net'

/** What a server replies to a word of four letters; '' if it does not reply in time: one that starts accepts and stays silent. */
export function fourLetters(port: number, word: string, timeoutMs = 750): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect({ host: '127.0.0.1', port, timeout: timeoutMs }, () => socket.write(word))
    socket.on('data', (bytes: Buffer) => (reply += bytes.toString()))
    socket.on('timeout', () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(reply))
  })
}
