import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort, reachable } from '../adapters/servers.ts'
import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'

/** The code of docs/your-apis.md that records, and a provider with an operator who acts as alice. */
export interface Recording extends AsyncDisposable {
  readonly snippets: Snippets
  readonly deployment: Deployment
  readonly tokens: { readonly own: string; readonly acted: string }
  /** A file for the recorder's database, and what is in it. */
  readonly database: string
  recorded(count: number): Promise<Row[]>
  /** Runs a file of the document as a process of its own, until it listens where it should. */
  launch(file: string, environment: Record<string, string>): Promise<Launched>
}

export interface Row {
  readonly sender: string
  readonly use: Record<string, unknown>
}

export interface Launched {
  readonly origin: string
  readonly child: ChildProcess
  readonly log: () => string
  ask(method: string, path: string, token: string): Promise<number>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export async function recording(options?: DeploymentOptions): Promise<Recording> {
  const snippets = await snippetsOf('your-apis.md')
  const deployment = await deploy(options)
  const { orders, issuer } = deployment
  const own = await signIn(deployment, 'alice', { scope: 'openid orders:read', resource: orders })
  const { access_token: actor_token } = await signIn(deployment, 'olivia')
  const subject_token = await deployment.subjectToken()
  const { body } = await deployment.exchange({ subject_token, actor_token })
  const database = join(snippets.folder, 'uses.db')
  const running: Launched[] = []
  return {
    snippets,
    deployment,
    tokens: { own: own.access_token, acted: body.access_token },
    database,
    async recorded(count) {
      using file = new DatabaseSync(database, { timeout: 5000 })
      const select = 'SELECT sender, use FROM impersonation_use ORDER BY rowid'
      const read = () => file.prepare(select).all()
      for (let tries = 0; read().length < count && tries < 1000; tries += 1) await wait(10)
      const rows = read()
      return rows.map(({ sender, use }) => ({
        sender: String(sender),
        use: JSON.parse(String(use)),
      }))
    },
    async launch(file, environment) {
      const launched = await launch(join(snippets.folder, 'src', file), {
        ISSUER: issuer,
        AUDIENCE: orders,
        DATABASE: database,
        ...environment,
      })
      running.push(launched)
      return launched
    },
    async [Symbol.asyncDispose]() {
      for (const each of running) await each.stop('SIGKILL')
      await deployment.close()
      await snippets[Symbol.asyncDispose]()
    },
  }
}

async function launch(file: string, environment: Record<string, string>): Promise<Launched> {
  const port = Number(environment.PORT ?? (await freePort()))
  const origin = `http://127.0.0.1:${port}`
  const { PATH } = process.env
  const child = spawn(process.execPath, [file], {
    env: { PATH, PORT: String(port), NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const exited = once(child, 'exit')
  if (/api|receive/.test(file)) {
    while (child.exitCode === null && !(await reachable(origin, port))) await wait(20)
    if (child.exitCode !== null) throw new Error(log)
  }
  return {
    origin,
    child,
    log: () => log,
    async ask(method, path, token) {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(origin + path, { method, headers })
      await response.arrayBuffer()
      return response.status
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
      return child.exitCode
    },
  }
}
