import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Server, Settings } from '../options.js'

/**
 * What a server replies to a word of four letters, such as `srvr`, on a connection of its own.
 *
 * @returns `null` if it does not reply: a server that is just starting accepts connections and stays silent
 */
export function replyTo(
  word: string,
  { host, port }: Server,
  tls: Settings['tls'],
  timeoutMs: number,
): Promise<string | null> {
  return new Promise((resolve) => {
    let reply = ''
    const send = (): void => void socket.write(word)
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...tls }, send)
      : connectTcp({ host, port }, send)
    const late = setTimeout(() => socket.destroy(), timeoutMs)
    socket.on('data', (bytes: Buffer) => (reply += bytes.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(late)
      resolve(reply === '' ? null : reply)
    })
  })
}

/** A reply of lines such as `Mode: leader` or `tickTime=2000`. */
export const fieldsOf = (reply: string): ReadonlyMap<string, string> =>
  new Map(
    reply.split('\n').flatMap((line) => {
      const [, name, value] = /^([\w ./]+?)\s*[:=]\s*(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value.trim()] as const]
    }),
  )
