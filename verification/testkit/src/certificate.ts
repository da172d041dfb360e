import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate that signs itself, so that it is its own authority. */
export interface Certificate {
  readonly keyFile: string
  readonly certFile: string
  /** What is in `certFile`. */
  readonly ca: string
}

/** Whether {@link makeCertificate} works: it takes the program `openssl`. */
export function hasOpenSsl(): boolean {
  try {
    execFileSync('openssl', ['version'])
    return true
  } catch {
    return false
  }
}

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
