import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { compile } from './support/compile.ts'
import { type Deployment, deploy } from './support/deployment.ts'
import { signIn } from './support/sign-in.ts'
import { install, packInto } from './support/tarball.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const API = `
import { createServer } from 'node:http'
import {
  type Caller,
  denyImpersonation,
  type KoaMiddleware,
  requireScope,
  resourceServer,
} from 'oidc-provider-impersonation-resource-server'

const api = resourceServer({
  issuer: process.env.ISSUER ?? '',
  audience: process.env.AUDIENCE ?? '',
})
const read = api.connect(requireScope('orders:read'))
const inPerson = api.connect(denyImpersonation())
export const koa: KoaMiddleware = api.koa()

const server = createServer((request: Parameters<typeof read>[0], response) => {
  const guard = request.url === '/email' ? inPerson : read
  guard(request, response, (error) => {
    const caller: Caller | undefined = request.caller
    response.writeHead(error ? 503 : 200).end(caller?.actor?.sub ?? caller?.subject)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit())
`

describe('the package in an API that needs the guard alone', function () {
  this.timeout(180_000)
  let project: string
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    project = await mkdtemp(join(tmpdir(), 'impersonation-guard-alone-'))
    await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}')
    const { path } = await packInto(project)
    // Many APIs run Koa 2; oidc-provider brings a Koa 3 of its own.
    await install(project, [path, '@types/node@24', 'koa@2'])
    await writeFile(join(project, 'api.ts'), API)
  })
  after(async () => {
    await deployment.close()
    await rm(project, { recursive: true, force: true })
  })

  it('is installed without oidc-provider and its types', async () => {
    const installed = await readdir(join(project, 'node_modules'), { recursive: true })
    const packages = new Set(installed.map((path) => path.split('node_modules/').at(-1)))
    expect(packages).to.include('oidc-provider-impersonation')
    expect(packages).not.to.include('oidc-provider').and.not.to.include('@types/oidc-provider')
  })

  it('takes the Koa 2 of the API, and brings no other', async () => {
    const installed = await readdir(join(project, 'node_modules'), { recursive: true })
    const koas = installed.filter((path) => /(?<!@types\/)\bkoa\/package\.json$/.test(path))
    expect(koas).to.deep.equal(['koa/package.json'])
    const manifest = await readFile(join(project, 'node_modules/koa/package.json'), 'utf8')
    expect(JSON.parse(manifest).version).to.match(/^2\./)
  })

  it('compiles, strictly, with the declarations of every package looked at', async () => {
    // koa-body depends on them. npm puts them where this project finds them, pnpm does not.
    await rm(join(project, 'node_modules/@types/koa'), { recursive: true, force: true })
    const tsc = ['--strict', '--skipLibCheck', 'false', '--noEmit', '--target', 'es2024']
    const options = [...tsc, '--module', 'nodenext', '--types', 'node', 'api.ts']
    expect(await compile(options, { cwd: project })).to.equal('')
  })

  it('runs, and tells who may come in', async () => {
    const { issuer, orders } = deployment
    const own = await signIn(deployment, 'alice', { scope: 'openid orders:read', resource: orders })
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken()
    const { body } = await deployment.exchange({ subject_token, actor_token })

    const server = spawn(process.execPath, ['api.ts'], {
      cwd: project,
      env: { PATH: process.env.PATH, ISSUER: issuer, AUDIENCE: orders },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    try {
      const [{ port }] = await once(server, 'message')
      const ask = async (path: string, token?: string) => {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
        return [response.status, response.ok ? await response.text() : '']
      }
      expect(await ask('/orders')).to.deep.equal([401, ''])
      expect(await ask('/orders', own.access_token)).to.deep.equal([200, 'alice'])
      expect(await ask('/orders', body.access_token)).to.deep.equal([200, 'olivia'])
      expect(await ask('/email', body.access_token)).to.deep.equal([403, ''])
    } finally {
      const exited = once(server, 'exit')
      server.kill()
      await exited
    }
  })

  it('says what is missing where another part is imported, and nothing worse', async () => {
    const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    // The glue is in the repository's exports alone.
    const isPublic = (part: string) => !part.endsWith('.json') && !part.endsWith('*')
    const parts = Object.keys(exports).filter(isPublic)
    const failures = await Promise.all(
      parts.map(async (part) => {
        const name = `oidc-provider-impersonation${part.slice(1)}`
        const load = ['--input-type=module', '--eval', `await import('${name}')`]
        const { stderr } = await run(process.execPath, load, { cwd: project }).catch(
          (failure: { stderr: string }) => failure,
        )
        return [part, /^Error.*/m.exec(stderr)?.[0].replace(/ imported from .*/, '') ?? ''] as const
      }),
    )
    const failed = failures.filter(([, error]) => error !== '')
    expect(Object.fromEntries(failed)).to.deep.equal({
      '.': "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'oidc-provider'",
      '../packages/testing/test':
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'oidc-provider'",
    })
  })
})
