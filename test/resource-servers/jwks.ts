import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { closed, listening } from '../support/token-issuer.ts'

export type Keys = Awaited<ReturnType<typeof keysOverHttps>>

/** Hands on `<issuer>/jwks`, with a certificate for localhost that is made in the folder. */
export async function keysOverHttps(issuer: string, folder: string) {
  const key = join(folder, 'key.pem')
  const certificate = join(folder, 'certificate.pem')
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'],
    ...['-keyout', key, '-out', certificate],
  ])
  const files = { key: await readFile(key), cert: await readFile(certificate) }
  const server = createServer(files, async (_request, response) => {
    const keys = await fetch(`${issuer}/jwks`)
    response.setHeader('Content-Type', 'application/json')
    response.end(await keys.text())
  })
  const { port } = new URL(await listening(server))
  return {
    uri: `https://localhost:${port}/jwks`,
    /** The file of the certificate that it shows. */
    certificate,
    [Symbol.asyncDispose]: () => closed(server),
  }
}
