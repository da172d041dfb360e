import { connect } from 'node:net'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type TLSSocket } from 'node:tls'
import { makeCertificate, scratchFolder, skippedIf, whyNoCertificate } from '@holdfast/testkit'

interface Address {
  readonly host: string
  readonly port: number
}

/** A test for which a certificate is made. */
export const itWithTls = skippedIf(whyNoCertificate, it)

/** Servers that are reached over TLS only, as behind a provider's proxy. */
export interface TlsNodes {
  /** Their certificate's authority. */
  readonly ca: string
  /** From `host:port`, as the servers announce themselves, to where they are reached. */
  readonly addressMap: Readonly<Record<string, Address>>
  readonly addresses: readonly Address[]
  close(): Promise<void>
}

export async function tlsNodes(servers: readonly Address[]): Promise<TlsNodes> {
  const folder = await scratchFolder()
  const { keyFile, ca } = makeCertificate(folder.path)
  const key = readFileSync(keyFile)
  const addressMap: Record<string, Address> = {}
  const ends: (() => void)[] = []
  for (const { host, port } of servers) {
    const terminator = createServer({ key, cert: ca }, (secure) => pass(secure, { host, port }))
    terminator.listen(0, host)
    await once(terminator, 'listening')
    const at = terminator.address()
    if (typeof at !== 'object' || at === null) throw new Error('it listens')
    addressMap[`${host}:${port}`] = { host, port: at.port }
    ends.push(() => terminator.close())
  }
  return {
    ca,
    addressMap,
    addresses: Object.values(addressMap),
    async close() {
      for (const end of ends) end()
      await folder.remove()
    },
  }
}

function pass(secure: TLSSocket, { host, port }: Address): void {
  const plain = connect(port, host)
  secure.pipe(plain).pipe(secure)
  for (const each of [secure, plain]) each.on('error', () => undefined)
  secure.once('close', () => plain.destroy())
  plain.once('close', () => secure.destroy())
}
