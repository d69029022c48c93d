import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { decodeProtectedHeader, type JWK } from 'jose'
import { parseAllDocuments } from 'yaml'
import type { ResourceServer } from '../../packages/resource-server/src/index.ts'
import type { Authorize } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { apiToken } from '../support/jwts.ts'
import { type Managed, managing } from '../support/managing.ts'
import { shared } from '../support/shared.ts'
import { blocksOf, call, pageOf, snippetsOf } from './documents.ts'

const run = promisify(execFile)

describe('docs/production.md', () => {
  let deployment: Managed

  const snippets = shared(() => snippetsOf('production.md'))
  afterEach(() => deployment?.close())

  it('kill-switch.ts: nothing is issued or exchanged while it is off, and all that ran has ended', async () => {
    const { withKillSwitch, endEverything } = await snippets.load('The kill switch')
    let isOff = false
    const rule: Authorize = ({ account }) => account.accountId !== 'bob'
    const authorize = call(withKillSwitch, async () => isOff, rule)
    deployment = await managing({ impersonation: { authorize } })
    const { token, provider } = deployment
    const issued = async (userId: string) => (await deployment.issue({ userId }, { token })).status
    const exchanged = async (subject_token: string) =>
      (await deployment.exchange({ subject_token })).status
    expect(await issued('bob')).to.equal(403)
    const [running, waiting] = [await deployment.start(), await deployment.start()]
    expect(await exchanged(running.subjectToken)).to.equal(200)
    isOff = true
    expect(await exchanged(waiting.subjectToken)).to.equal(400)
    expect(await issued('alice')).to.equal(403)
    expect(await call(endEverything, provider, ['backend'])).to.equal(2)
    expect((await provider.impersonation.list({ state: 'active' })).items).to.deep.equal([])
    isOff = false
    expect(await exchanged(waiting.subjectToken)).to.equal(400)
    expect(await issued('alice')).to.equal(201)
  })

  it('make-key.mjs makes a key with which the provider signs', async () => {
    await using scripts = await snippetsOf('production.md', 'js')
    const { stdout } = await run(process.execPath, [join(scripts.folder, 'src/make-key.mjs')])
    const jwks: { keys: JWK[] } = JSON.parse(stdout)
    deployment = await managing({ configuration: { jwks } })
    const { subjectToken: subject_token } = await deployment.start()
    const { access_token } = (await deployment.exchange({ subject_token })).body
    expect(decodeProtectedHeader(access_token)).to.include({ kid: jwks.keys[0]?.kid, alg: 'ES256' })
  })

  it('provider.yaml asks for a page that the provider has, and runs the migration of the page', async () => {
    const [yaml = ''] = await blocksOf('production.md', 'yaml')
    const parts = parseAllDocuments(yaml).map((part) => part.toJS())
    const [{ spec: provider }, { spec: job }] = parts
    const [{ ports, startupProbe, readinessProbe }] = provider.template.spec.containers
    expect(provider.template.metadata.labels).to.deep.equal(provider.selector.matchLabels)
    expect(startupProbe).to.deep.equal(readinessProbe)
    const { path, port } = readinessProbe.httpGet
    expect(port).to.equal(ports[0].containerPort)
    deployment = await managing()
    await expectAnswer(fetch(new URL(path, deployment.base)), 200)
    const [{ command }] = job.template.spec.containers
    expect(await pageOf('production.md')).to.include(`// ${command[1]}\n`)
  })

  it('two-issuers.ts takes a token of each issuer, and refuses others', async () => {
    const resource = 'https://api.example.com'
    const resources = { [resource]: 'openid orders:read' }
    deployment = await managing({ resources })
    await using other = await deploy({ resources })
    const { guardFor } = await snippets.loadFile('two-issuers.ts', {
      'https://eu.example.com/oidc': deployment.issuer,
      'https://us.example.com/oidc': other.issuer,
    })
    const judge = async (authorization?: string) => {
      const guard: ResourceServer = call(guardFor, authorization)
      return (await guard.authenticate(authorization)).userId
    }
    const tokenOf = async (one: Deployment, user: string, to = resource) =>
      `Bearer ${await apiToken(one, user, { resource: to })}`
    expect(await judge(await tokenOf(deployment, 'alice'))).to.equal('alice')
    expect(await judge(await tokenOf(other, 'bob'))).to.equal('bob')
    const elsewhere = await tokenOf(other, 'bob', other.orders)
    for (const bad of [undefined, 'Bearer', 'Bearer x', elsewhere]) {
      const refused = await judge(bad).catch((error) => error)
      expect(refused, bad).to.include({ status: 401 })
    }
  })
})
