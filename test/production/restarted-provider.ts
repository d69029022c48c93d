import type { JSONWebKeySet, JWK } from 'jose'
import Koa from 'koa'
import mount from 'koa-mount'
import type { AdapterFactory } from 'oidc-provider'
import { resourceServer } from '../../packages/resource-server/src/index.ts'
import { Provider } from '../../src/index.ts'
import { deploy, idOf } from '../support/deployment.ts'
import { deploymentConfiguration } from '../support/deployment-configuration.ts'

/** The settings of one process of the provider. */
export interface ProcessOptions {
  readonly adapter: AdapterFactory
  /** Of `jwks`, in this order. */
  readonly keys: readonly JWK[]
}

/** An impersonation that an operator runs. */
export interface Run {
  readonly id: string
  readonly token: string
}

export type RestartedProvider = Awaited<ReturnType<typeof startRestartedProvider>>

/** A provider at one address, over real HTTP, whose processes are replaced. */
export async function startRestartedProvider() {
  let processes: Array<{ provider: Provider; answer: ReturnType<Koa['callback']> }> = []

  function nextProcess() {
    const [next] = processes
    if (!next) throw new Error('no process serves')
    processes = [...processes.slice(1), next]
    return next
  }

  const front = await deploy({
    middleware: async (ctx) => {
      ctx.respond = false
      await nextProcess().answer(ctx.req, ctx.res)
    },
  })
  const { base, issuer, orders: audience, exchange, expectWorthless, post, redeem } = front

  function startProcess({ adapter, keys }: ProcessOptions) {
    const configuration = { adapter, jwks: { keys: [...keys] } }
    const provider = new Provider(
      issuer,
      deploymentConfiguration(base, new Set(['alice']), { configuration }),
    )
    return { provider, answer: new Koa().use(mount('/oidc', provider)).callback() }
  }

  async function issue(): Promise<string> {
    const { impersonation } = nextProcess().provider
    return (await impersonation.issue({ userId: 'alice' }, { as: 'backend' })).subjectToken
  }

  return {
    base,
    expectWorthless,
    post,
    redeem,
    /** Replaces the processes that answer. Each takes its turn, as behind a balancer. */
    serve(...all: readonly ProcessOptions[]) {
      processes = all.map(startProcess)
    },
    /** The process that answers next. */
    get provider() {
      return nextProcess().provider
    },
    issue,
    /** Issues and exchanges. */
    async run(resource: string = audience) {
      const subject_token = await issue()
      const { status, body } = await exchange({ subject_token, resource })
      if (status !== 200) throw new Error(`no exchange: ${JSON.stringify(body)}`)
      return { id: idOf(subject_token), token: body.access_token }
    },
    publishedKeys: async () => (await (await fetch(`${issuer}/jwks`)).json()) as JSONWebKeySet,
    /** An API that has just started, which requires a status. */
    newApi: () => resourceServer({ issuer, audience, requireStatus: true }),
    [Symbol.asyncDispose]: () => front.close(),
  }
}
