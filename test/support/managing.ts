import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { ImpersonationEvent } from '../../src/index.ts'
import { type DeploymentOptions, deploy, idOf } from './deployment.ts'
import { answerOf } from './http.ts'

/** Every scope of the management API. */
export const EVERYTHING = 'impersonate impersonations:read impersonations:end'

const NAMES = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.denied',
  'impersonation.replayed',
  'impersonation.ended',
] as const

type Init = { readonly token?: string; readonly headers?: Record<string, string> }

export type Managed = Awaited<ReturnType<typeof managing>>

/** A deployment whose client `backend` may do everything at the management API. */
export async function managing(options: DeploymentOptions = {}) {
  const everyone = () => true
  const managementApi = {
    clients: { issue: everyone, read: ['backend'], end: ['backend'] },
    ...options.impersonation?.managementApi,
  }
  const impersonation = { ...options.impersonation, managementApi }
  const deployment = await deploy({ ...options, impersonation })
  const token = await deployment.m2mToken({ scope: EVERYTHING })
  const recorded: Array<ImpersonationEvent & { name: string }> = []
  for (const name of NAMES) {
    deployment.provider.on(name, (_ctx: unknown, event: ImpersonationEvent) =>
      recorded.push({ name, ...event }),
    )
  }
  const authorization = (init: Init) => ({
    authorization: `Bearer ${init.token ?? token}`,
    ...init.headers,
  })
  async function get(path: string, init: Init = {}) {
    const headers = authorization(init)
    return answerOf(await fetch(`${deployment.base}/api/impersonations${path}`, { headers }))
  }
  return {
    ...deployment,
    get,
    async expectState(id: string, state: string) {
      expect((await get(`/${id}`)).body.state).to.equal(state)
    },
    /** Of `backend`, with every scope. */
    token,
    /** Issues a subject token, as `backend`. */
    async start(body: object = {}) {
      const answer = await deployment.issue({ userId: 'alice', ...body }, { token })
      if (answer.status !== 201) throw new Error(`not issued: ${JSON.stringify(answer.body)}`)
      const { subjectToken } = answer.body
      return { id: idOf(subjectToken), subjectToken }
    },
    /** Without a body where there is none. */
    async send(path: string, body?: unknown, init: Init = {}) {
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      return answerOf(
        await fetch(`${deployment.base}/api/impersonations${path}`, {
          method: 'POST',
          headers: { ...json, ...authorization(init) },
          ...(body === undefined
            ? {}
            : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )
    },
    /** The events so far, at least so many. They come after the answers. */
    async events(atLeast = 0) {
      for (let turns = 0; turns < 4 || (recorded.length < atLeast && turns < 200); turns += 1) {
        await turn()
      }
      return recorded
    },
  }
}

/** A request whose path is sent as it stands: `fetch` would tidy it up. */
export async function raw(
  base: string,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; type: string; text: string }> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, async (response) => {
      const { statusCode = 0, headers } = response
      resolve({
        status: statusCode,
        type: headers['content-type'] ?? '',
        text: await text(response),
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
