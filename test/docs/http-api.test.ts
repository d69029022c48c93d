import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { ManagementApiOptions } from '../../src/index.ts'
import { basic, deploy } from '../support/deployment.ts'
import { managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'
import { allAnswers } from './answers.ts'
import type { SeenAnswer } from './openapi-document.ts'

const DOCUMENT = new URL('../../docs/http-api.md', import.meta.url)

/** One row of a table of errors. */
interface Row {
  readonly text: string
  /** Missing in the table for DPoP, which stands for two. */
  readonly status: string | undefined
  readonly error: string
  /** What the description may be. */
  readonly description: RegExp
  /** Whether it stands for one description, with nothing left open. */
  readonly isExact: boolean
}

/** The rows of errors in the section under a heading, up to the next one of its level. */
function rowsUnder(document: string, heading: string): Row[] {
  const [, section = ''] = document.split(`\n${heading}\n`)
  const [level = ''] = /^#+/.exec(heading) ?? []
  const [part = ''] = section.split(new RegExp(`^#{2,${level.length}} `, 'm'))
  return part.split('\n').flatMap((text) => {
    const [, status, error = '', said = ''] =
      /^\| (?:(\d{3}) \| )?`(\w+)` \| ([^|]+) \|/.exec(text) ?? []
    // The head of a table names its columns so.
    return error === '' || error === 'error' ? [] : [{ text, status, error, ...pattern(said) }]
  })
}

/** `{name}` stands for any text, `…` for any or none. */
function pattern(said: string): Pick<Row, 'description' | 'isExact'> {
  if (said === '…') return { description: /^/, isExact: false }
  const parts = said.split(/\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'))
  return { description: new RegExp(`^${parts.join('.+')}$`), isExact: parts.length === 1 }
}

interface Refusal {
  readonly status: string
  readonly error: string
  readonly description: string
}

/** The errors among answers. Pages for people say the same. */
function refusals(seen: readonly SeenAnswer[], operation?: string): Refusal[] {
  const chosen = seen.filter((one) => operation === undefined || one.operation === operation)
  return chosen.flatMap(({ answer: { status, body } }) => {
    const { error, error_description: description = '' } = Object(body)
    return error === undefined ? [] : [{ status: String(status), error, description }]
  })
}

/** The row that a refusal belongs to: one that says exactly that, before one that leaves room. */
function rowOf(rows: readonly Row[], { status, error, description }: Refusal): Row | undefined {
  const fitting = rows.filter(
    (row) =>
      (row.status ?? status) === status && row.error === error && row.description.test(description),
  )
  return fitting.find(({ isExact }) => isExact) ?? fitting[0]
}

/** Each refusal has its row, here or among those that routes share, and each row here was seen. */
function compare(
  rows: readonly Row[],
  seen: readonly Refusal[],
  shared: readonly Row[] = [],
): void {
  const all = [...rows, ...shared]
  const found = new Set(seen.map((refusal) => rowOf(all, refusal)))
  expect(rows.filter((row) => !found.has(row)).map(({ text }) => text)).to.deep.equal([])
  expect(seen.filter((refusal) => !rowOf(all, refusal))).to.deep.equal([])
}

describe('docs/http-api.md', () => {
  let document: string
  let seen: readonly SeenAnswer[]
  let shared: readonly Row[]

  before(async function () {
    this.timeout(60_000)
    document = await readFile(DOCUMENT, 'utf8')
    seen = await allAnswers()
    shared = rowsUnder(document, '### Errors that the routes share')
  })

  it('has every error of the machine token, and no other', async () => {
    compare(rowsUnder(document, '## 1. The machine token'), refusals(await machineTokenAnswers()))
  })

  it('has every error of the management API, and no other', () => {
    const rows = rowsUnder(document, '### Errors of the management API')
    expect(rows).to.have.length.above(10)
    compare(rows, refusals(seen, 'issueSubjectToken'), shared)
  })

  it('has the errors that routes share once: each is answered by two routes or more, but for the words of an array', () => {
    const operations = [...new Set(seen.map(({ operation }) => operation))]
    expect(shared).to.have.length.above(10)
    for (const row of shared) {
      const routes = operations.filter((operation) =>
        refusals(seen, operation).some((refusal) => rowOf([row], refusal)),
      )
      const least = row.description.test('the body must be a JSON object') ? 1 : 2
      expect(routes, row.text).to.have.length.of.at.least(least)
    }
  })

  it('has every error of the exchange, and no other', () => {
    const rows = rowsUnder(document, '### Errors of the exchange')
    expect(rows).to.have.length.above(30)
    compare(rows, refusals(seen, 'exchangeToken'))
  })

  it('has every error of seeing and ending, and no other', () => {
    const operations = ['listImpersonations', 'showImpersonation', 'endImpersonation']
    const rows = rowsUnder(document, '### Errors of seeing and ending')
    expect(rows).to.have.length.above(4)
    compare(
      rows,
      [...operations, 'endImpersonations'].flatMap((operation) => refusals(seen, operation)),
      shared,
    )
  })

  it('has every error of the end by the token itself, and no other', () => {
    const rows = rowsUnder(document, '### Ending by the token itself')
    compare(rows, refusals(seen, 'endCurrentImpersonation'), shared)
  })

  it('has every error of the question how it stands, and no other', () => {
    const rows = rowsUnder(document, '### How it stands, by the token itself')
    compare(rows, refusals(seen, 'showCurrentImpersonation'), shared)
  })

  it('says what introspection answers of an opaque token, while it runs and after its end', async () => {
    const [, block = ''] =
      /^### An opaque access token$.*?^```json\n(.*?)^```$/ms.exec(document) ?? []
    const deployment = await managing()
    try {
      const { access_token: actor_token } = await signIn(deployment, 'olivia')
      const { id, subjectToken } = await deployment.start()
      const resource = `${deployment.base}/opaque`
      const form = { subject_token: subjectToken, actor_token, resource }
      const { access_token: token } = (await deployment.exchange(form)).body
      const introspect = () =>
        deployment.post('/oidc/token/introspection', { client_id: 'console', token })
      const { body } = await introspect()
      expect(Object.keys(body)).to.have.members(Object.keys(JSON.parse(block)))
      expect(body).to.include({ active: true, sub: 'alice', aud: resource, impersonation_id: id })
      expect(body.act).to.deep.equal({ sub: 'olivia' })
      await deployment.send(`/${id}/end`)
      expect((await introspect()).body).to.deep.equal({ active: false })
    } finally {
      await deployment.close()
    }
  })

  it('has every error of a proof, and no other', () => {
    const rows = rowsUnder(document, '## With DPoP')
    compare(
      rows,
      refusals(seen).filter(({ error }) => error.includes('dpop')),
    )
  })
})

/** Every refusal that the management API's resource adds to the provider's own. */
async function machineTokenAnswers(): Promise<SeenAnswer[]> {
  const managementApi: ManagementApiOptions = {
    resource: 'https://id.example.com/api',
    clients: ['backend'],
  }
  const machine = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  const deployment = await deploy({
    impersonation: { managementApi },
    clients: [
      { ...machine, client_id: 'other', client_secret: 'secret' },
      { ...machine, client_id: 'public', token_endpoint_auth_method: 'none' },
      {
        client_id: 'user',
        client_secret: 'secret',
        grant_types: ['authorization_code'],
        redirect_uris: ['https://app.example.com/callback'],
      },
    ],
  })
  const { resource } = managementApi
  const form = { grant_type: 'client_credentials', resource, scope: 'impersonate' }
  const requests = [
    [form, basic('other', 'secret')],
    [{ ...form, client_id: 'public' }, {}],
    [{ ...form, resource: 'https://elsewhere.example' }, basic('backend', 'backend-secret')],
    [form, basic('user', 'secret')],
    [form, basic('backend', 'wrong')],
  ] as const
  const seen: SeenAnswer[] = []
  for (const [body, headers] of requests) {
    const answer = await deployment.post('/oidc/token', body, headers)
    seen.push({ operation: 'machineToken', what: JSON.stringify(body), answer })
  }
  await deployment.close()
  return seen
}
