import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from '../../../test/support/compile.ts'
import { type Deployment, deploy } from '../../../test/support/deployment.ts'
import { signIn } from '../../../test/support/sign-in.ts'
import { install, packInto } from '../../../test/support/tarball.ts'

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
    response.writeHead(error ? 503 : 200).end(caller?.actor?.sub ?? caller?.userId)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit())
`

describe('the guard, installed alone in an API', function () {
  this.timeout(180_000)
  let project: string
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    project = await mkdtemp(join(tmpdir(), 'impersonation-guard-alone-'))
    await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}')
    const { path } = await packInto(project, 'packages/resource-server')
    await install(project, [path, '@types/node@24'])
    await writeFile(join(project, 'api.ts'), API)
  })
  after(async () => {
    await deployment.close()
    await rm(project, { recursive: true, force: true })
  })

  it('compiles, strictly, with the declarations of every package looked at', async () => {
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
})
