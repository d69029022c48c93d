import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { writeBlock } from './blocks.ts'
import { type Running, run } from './process.ts'
import { keepsItsPromises } from './promises.ts'
import { type Tokens, tokensOf } from './tokens.ts'

/** Debian's own, which has Debian's packages. */
const PYTHON = '/usr/bin/python3'

describe('docs/resource-servers.md without the guard, authlib_flask.py', () => {
  let folder: string
  let deployment: Deployment
  let tokens: Tokens
  let server: Running

  before(async function () {
    const isInstalled = await promisify(execFile)(PYTHON, ['-c', 'import authlib, flask']).then(
      () => true,
      () => false,
    )
    if (!isInstalled) {
      console.log('    skipped: needs python3-authlib and python3-flask of Debian')
      this.skip()
    }
    folder = await mkdtemp(join(tmpdir(), 'impersonation-authlib-'))
    const file = await writeBlock('authlib_flask.py', folder)
    deployment = await deploy()
    tokens = await tokensOf(deployment)
    server = await run([PYTHON, file], await freePort(), {
      ISSUER: deployment.issuer,
      AUDIENCE: deployment.orders,
    })
  })
  after(async () => {
    await server?.[Symbol.asyncDispose]()
    await deployment?.close()
    if (folder) await rm(folder, { recursive: true })
  })

  keepsItsPromises(
    () => server,
    () => tokens,
  )
})
