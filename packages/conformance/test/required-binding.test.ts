import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Deployed, deployForSuite } from './support/deployment.ts'
import { complaintsIn, runSuite } from './support/run-suite.ts'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const [, block = ''] =
  /^### oidc-provider-impersonation\n.*?^```json\n(.*?)^```$/ms.exec(readme) ?? []

describe('a deployment that requires every binding', () => {
  let deployed: Deployed
  before(async () => {
    deployed = await deployForSuite({ requireBinding: ['mayAct', 'resource', 'scope'] })
  })
  after(() => deployed[Symbol.asyncDispose]())

  it('passes every statement by the configuration of the README, and skips none', async () => {
    const { good, withoutScope, revoked, bound, other } = deployed.actorTokens
    const secrets: Readonly<Record<string, string>> = {
      BACKEND_SECRET: 'backend-secret',
      WEB_SECRET: 'web-secret',
      COPILOT_SECRET: 'copilot-secret',
      olivia: good,
      'olivia --scope orders:read': withoutScope,
      'olivia --revoke': revoked,
      'olivia --dpop': bound,
      oscar: other,
    }
    const configuration = JSON.parse(
      block.replaceAll('https://id.example.com', deployed.base),
      (_name, value) => {
        const { env, command } = Object(value)
        return env || command ? secrets[env ?? command.slice(2).join(' ')] : value
      },
    )
    const result = await runSuite({ issuer: deployed.issuer, configuration })
    expect(complaintsIn(result)).to.deep.equal([])
  })

  it('needs nothing but the bindings besides: an operator of every request acts by every token', async () => {
    const given = JSON.parse(JSON.stringify(deployed.configuration))
    for (const resource of [given.exchange.resource, [given.exchange.resource]]) {
      const always = {
        mayAct: { sub: 'olivia', clientId: 'console' },
        resource,
        scope: 'orders:read',
      }
      const configuration = { ...given, issue: { ...given.issue, always } }
      const numbers = ['P14', 'P15', 'P16', 'P17', 'P27', 'P37', 'P42', 'P43', 'P44', 'P51']
      const result = await runSuite({ issuer: deployed.issuer, configuration }, numbers)
      expect(complaintsIn(result)).to.deep.equal([])
    }
  })
})
