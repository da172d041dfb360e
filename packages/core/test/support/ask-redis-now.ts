import { execFileSync } from 'node:child_process'

const program = `
  const [host, port, command] = process.argv.slice(1)
  const socket = require('node:net').connect({ host, port: Number(port) }, () => socket.write(command + '\\r\\n'))
  socket.once('data', (reply) => process.stdout.write(reply, () => socket.destroy()))
`

/** The raw answer to one command, while this process stands still: nothing of it runs or is sent meanwhile. */
export function askRedisNow(server: { host: string; port: number }, command: string): string {
  const args = ['-e', program, server.host, String(server.port), command]
  return execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 10_000 })
}
