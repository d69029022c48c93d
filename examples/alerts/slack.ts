import type { Alarm, OnAlarm, OnPermit } from 'oidc-provider-impersonation-console'

/** @param webhook the URL of an incoming webhook of Slack */
export function slack(webhook: string): { onAlarm: OnAlarm; onPermit: OnPermit } {
  const headers = { 'content-type': 'application/json' }
  async function post(text: string, url = '', signal: AbortSignal): Promise<void> {
    // A name is no markup, and no mention of a whole channel.
    const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const body = JSON.stringify({ text: `${plain}\n${url}` })
    const { ok, status } = await fetch(webhook, { method: 'POST', headers, body, signal })
    if (!ok) throw new Error(`Slack answers ${status}`) // It is called again.
  }
  const who = ({ operator, customer }: Pick<Alarm['impersonation'], 'customer' | 'operator'>) =>
    `${operator?.name ?? operator?.id} as ${customer?.name ?? customer?.id}`
  return {
    onAlarm: ({ kind, impersonation, url }, { signal }) =>
      post(`Alarm ${kind}: ${who(impersonation)}`, url, signal),
    onPermit: ({ kind, permit, url }, { signal }) =>
      post(`Approval ${kind}: ${who(permit)}, ${permit.ticket}`, url, signal),
  }
}
