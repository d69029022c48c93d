import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { signIn, start } from '../../../test/example-provider/support.ts'
import { findBrokenLinks, install, packInto } from '../../../test/support/tarball.ts'
import { collectLog } from '../../console/test/support/quiet.ts'
import { ALL_STATEMENTS } from '../src/statements/index.ts'

describe('the conformance suite as users get it', function () {
  this.timeout(240_000)
  let folder: string
  let project: string
  let files: readonly string[]
  let broken: readonly string[]

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conformance-package-'))
    project = await mkdtemp(join(folder, 'project-'))
    const packed = await packInto(folder, 'packages/conformance')
    files = packed.files
    broken = await findBrokenLinks(packed)
    await writeFile(join(project, 'package.json'), '{"private":true}')
    await install(project, [packed.path])
  })
  after(() => rm(folder, { recursive: true, force: true }))

  function execute(...args: string[]): Promise<{ code: number; output: string }> {
    const command = join(project, 'node_modules/.bin/oidc-provider-impersonation-conformance')
    return new Promise((resolve) => {
      execFile(command, args, { cwd: project }, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), output: `${out}${err}` }),
      )
    })
  }

  it('has nothing that a user does not need, and no link that leads nowhere', () => {
    const others = files.filter((file) => !/^dist\/.*\.js$/.test(file))
    expect([...others].sort()).to.deep.equal(['LICENSE', 'README.md', 'package.json', 'profile.md'])
    expect(broken).to.deep.equal([])
  })

  it('depends on jose, and on nothing of the plugin', async () => {
    const lock = await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8')
    expect(Object.keys(JSON.parse(lock).packages)).to.deep.equal([
      'node_modules/jose',
      'node_modules/oidc-provider-impersonation-conformance',
    ])
  })

  it('says how it is used', async () => {
    const { code, output } = await execute('--help')
    expect([code, output]).to.deep.equal([0, output])
    expect(output).to.include('--config <file>')
  })

  it('finds that the example keeps the profile', async () => {
    // Its log of events.
    const stopCollecting = collectLog([])
    const example = await start()
    try {
      const { url } = example
      const confidential = { id: 'support-web', secret: 'support-web-secret' }
      const backend = { id: 'support-backend', secret: 'support-backend-secret' }
      const configuration = {
        issue: {
          url: `${url}/api/subject-tokens`,
          client: backend,
          token: { resource: `${url}/api`, scope: 'impersonate' },
        },
        user: 'alice',
        refusedUser: 'grace',
        exchange: {
          client: { id: 'support-tool' },
          otherClient: confidential,
          clientWithoutGrant: backend,
          software: { id: 'copilot', secret: 'copilot-secret' },
          softwareResource: `${url}/mcp`,
          resource: `${url}/orders`,
          otherResource: `${url}/mcp`,
          scope: 'orders:read',
          otherScope: 'orders:write',
        },
        operator: { sub: 'olivia', token: await signIn(url, 'olivia') },
        otherOperator: { sub: 'oscar', token: await signIn(url, 'oscar') },
        management: {
          url: `${url}/api/impersonations`,
          readScope: 'impersonations:read',
          endScope: 'impersonations:end',
        },
        introspection: { client: backend },
      }
      const config = join(project, 'c.json')
      await writeFile(config, JSON.stringify(configuration))
      const { code, output } = await execute(`${url}/oidc`, '--config', config)
      expect([code, output]).to.deep.equal([0, output])
      // The example has no rule that needs an approval, and no API with opaque tokens.
      const skipped = ['approval', 'exchange.opaqueResource']
      // This test signs in no operator for these.
      skipped.push('operator.withoutScope', 'operator.revoked', 'operator.bound')
      for (const member of skipped) expect(output).to.include(`has no ${member}`)
      const passed = ALL_STATEMENTS.length - skipped.length
      expect(output).to.include(`${passed} passed, 0 failed, ${skipped.length} skipped`)
    } finally {
      await example.close()
      stopCollecting()
    }
  })
})
