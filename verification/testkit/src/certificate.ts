import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onPath } from './find/probe-binary.js'

/** A certificate that signs itself, so that it is its own authority. */
export interface Certificate {
  readonly keyFile: string
  readonly certFile: string
  /** What is in `certFile`. */
  readonly ca: string
}

/** Why no certificate can be made here, for `skippedIf`. */
export const whyNoCertificate = onPath('openssl').length === 0 && 'there is no openssl on the PATH'

/** Makes a certificate for 127.0.0.1 and localhost, in the folder. */
export function makeCertificate(folder: string): Certificate {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', keyFile, '-out', certFile], {
    stdio: 'ignore',
  })
  return { keyFile, certFile, ca: readFileSync(certFile, 'utf8') }
}
