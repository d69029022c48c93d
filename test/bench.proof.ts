import { expect } from 'chai'
import { decodeProtectedHeader } from 'jose'
import { Load } from '../bench/load.ts'
import { startServer } from '../bench/process.ts'
import { basic } from './support/deployment.ts'

describe('the benchmark', () => {
  for (const alg of ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']) {
    it(`runs with --alg ${alg}, and signs access tokens with it`, async () => {
      const server = await startServer({ storage: 'memory', alg })
      const load = new Load({ server, connections: 1 })
      try {
        await load.open()
        await load.cycle()
        const response = await fetch(`${server.base}/oidc/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            resource: 'https://api.example.com',
          }),
          headers: basic('bench', 'bench-secret'),
        })
        const { access_token }: { access_token: string } = JSON.parse(await response.text())
        expect(decodeProtectedHeader(access_token).alg).to.equal(alg)
      } finally {
        await load.close()
        await server.stop()
      }
    })
  }
})
