import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'
import { launch, type ServerProcess } from './server-process.ts'

/** The code of docs/your-apis.md that records, and a provider with an operator who acts as alice. */
export interface Recording extends AsyncDisposable {
  readonly snippets: Snippets
  readonly deployment: Deployment
  readonly tokens: { readonly own: string; readonly acted: string }
  /** The rows of the recorder's database, once there are so many. */
  recorded(count: number): Promise<Row[]>
  /** Runs a file of the document as a process of its own, until it listens where it should. */
  launch(file: string, environment: Record<string, string>): Promise<ServerProcess>
}

export interface Row {
  readonly sender: string
  readonly use: Record<string, unknown>
}

export async function recording(options?: DeploymentOptions): Promise<Recording> {
  const snippets = await snippetsOf('your-apis.md')
  const deployment = await deploy(options)
  const { orders, issuer } = deployment
  const own = await signIn(deployment, 'alice', { scope: 'openid orders:read', resource: orders })
  const { access_token: actor_token } = await signIn(deployment, 'olivia')
  const { body } = await deployment.exchange({ actor_token })
  const database = join(snippets.folder, 'uses.db')
  const running: ServerProcess[] = []
  return {
    snippets,
    deployment,
    tokens: { own: own.access_token, acted: body.access_token },
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
      const path = join(snippets.folder, 'src', file)
      const shared = { ISSUER: issuer, AUDIENCE: orders, DATABASE: database, ...environment }
      const launched = await launch(path, shared)
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
