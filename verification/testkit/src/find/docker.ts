import { request } from 'node:http'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { RedisSource } from './redis-source.js'

/** A Docker daemon that replies: at DOCKER_HOST, or at the usual sockets. Takes milliseconds and loads no library. */
export async function redisFromDocker(): Promise<RedisSource | null> {
  for (const host of dockerHosts()) {
    if (await dockerAnswers(host)) return { kind: 'docker' }
  }
  return null
}

function dockerHosts(): string[] {
  const named = process.env['DOCKER_HOST']
  if (named) return [named]
  const runtimeFolder = process.env['XDG_RUNTIME_DIR']
  const sockets = [
    '/var/run/docker.sock',
    ...(runtimeFolder ? [join(runtimeFolder, 'docker.sock')] : []),
    join(homedir(), '.docker/run/docker.sock'),
    join(homedir(), '.docker/desktop/docker.sock'),
  ]
  return sockets.map((path) => `unix://${path}`)
}

/** Whether a Docker daemon replies at `unix:///path` or `tcp://host:port` within the timeout. Never rejects. */
function dockerAnswers(host: string, timeoutMs = 500): Promise<boolean> {
  if (host.startsWith('unix://')) return ping({ socketPath: host.slice('unix://'.length) }, timeoutMs)
  if (!URL.canParse(host)) return Promise.resolve(false)
  const { hostname, port, protocol } = new URL(host)
  if (protocol !== 'tcp:' && protocol !== 'http:') return Promise.resolve(false)
  // With TLS the ping would need the client's certificate; an open port is sufficient evidence.
  if (process.env['DOCKER_TLS_VERIFY']) return accepts(hostname, Number(port || 2376), timeoutMs)
  return ping({ host: hostname, port: Number(port || 2375) }, timeoutMs)
}

function ping(
  where: { socketPath: string } | { host: string; port: number },
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ ...where, path: '/_ping', timeout: timeoutMs, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    probe.once('timeout', () => probe.destroy())
    probe.once('error', () => resolve(false))
    probe.once('close', () => resolve(false))
    probe.end()
  })
}

function accepts(host: string, port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const answer = (value: boolean) => () => {
      resolve(value)
      socket.destroy()
    }
    socket.once('connect', answer(true))
    socket.once('timeout', answer(false))
    socket.once('error', answer(false))
  })
}
