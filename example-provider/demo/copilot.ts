import { isDeepStrictEqual } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { decodeJwt } from 'jose'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { COPILOT_CLIENT_ID } from '../clients.ts'
import { TIMEOUT_MS } from './browser.ts'
import { untilRefused } from './endings.ts'
import { check, show, step, terminal } from './report.ts'
import { askDirectly, CUSTOMER_ID, DEMO_CONTEXT, endAll, issue, OPERATOR_ID } from './requests.ts'

/** A support copilot reads orders for the operator, and may pay nothing out. */
export async function copilot(
  base: string,
  operatorToken: string,
  machine: string,
  secret: string,
): Promise<void> {
  const resource = `${base}/mcp`
  const binding = {
    mayAct: { sub: OPERATOR_ID, clientId: COPILOT_CLIENT_ID },
    resource,
    scope: 'orders:read',
  }
  const subjectToken = await issue(`Ask to act as ${CUSTOMER_ID}, by the copilot alone`, () =>
    askDirectly(base, machine, CUSTOMER_ID, DEMO_CONTEXT, binding),
  )
  const accessToken = await step(`Exchange it as the copilot, for ${OPERATOR_ID}`, () =>
    exchange(base, secret, {
      subject_token: subjectToken,
      actor_token: operatorToken,
      resource,
      scope: 'orders:read',
    }),
  )
  const { act } = decodeJwt(accessToken)
  const expected = {
    sub: COPILOT_CLIENT_ID,
    client_id: COPILOT_CLIENT_ID,
    act: { sub: OPERATOR_ID },
  }
  await step('Look at act: software, and the person for whom it acts', async () =>
    check(isDeepStrictEqual(act, expected), 'act does not name both'),
  )
  show({ act })
  const client = new Client({ name: COPILOT_CLIENT_ID, version: '1.0.0' })
  const call = async (name: string, given = {}) => {
    const { isError, content } = await client.callTool({ name, arguments: given })
    return { isError: isError === true, text: JSON.stringify(content) }
  }
  await step('Read the orders at the MCP server', async () => {
    const requestInit = { headers: { authorization: `Bearer ${accessToken}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(resource), { requestInit }))
    const { text } = await call('list_orders')
    check(text.includes('A-1001'), `those are not the orders of ${CUSTOMER_ID}`)
  })
  await step('Ask for a payout: refused, a person has to', async () => {
    const { isError, text } = await call('pay_out', { order: 'A-1001' })
    check(isError && text.includes('not while software acts'), 'software paid out')
  })
  await client.close()
  await step(`End all of ${OPERATOR_ID}`, () => endAll(base, machine, OPERATOR_ID))
  const took = await step('The MCP server refuses the copilot', () =>
    untilRefused(async () => {
      const headers = { authorization: `Bearer ${accessToken}` }
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      return (await fetch(resource, { method: 'POST', headers, signal })).status
    }),
  )
  terminal.log(`    ${(took / 1000).toFixed(1)} s after the end`)
}

async function exchange(
  base: string,
  secret: string,
  form: Record<string, string>,
): Promise<string> {
  const answer = await fetch(`${base}/oidc/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${COPILOT_CLIENT_ID}:${encodeURIComponent(secret)}`)}`,
    },
    body: new URLSearchParams({
      grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
      subject_token_type: ACCESS_TOKEN_TYPE,
      actor_token_type: ACCESS_TOKEN_TYPE,
      ...form,
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { access_token: token } = Object(await answer.json())
  check(answer.status === 200, `the answer is ${answer.status}: is COPILOT_SECRET right?`)
  return String(token)
}
