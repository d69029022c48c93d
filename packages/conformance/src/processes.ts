import type { Route } from './http.ts'

/**
 * Sends the requests to the issuer's origin to its processes in turn, as a balancer would: what one of them
 * redeemed or ended, the next one is asked for.
 *
 * @param processes origins; none: requests go where their address says
 */
export function roundRobin(issuer: string, processes: readonly string[] = []): Route {
  const { origin, host, protocol } = new URL(issuer)
  const forwarded = { 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) }
  let sent = 0
  return (url) => {
    const { origin: asked, pathname, search } = new URL(url)
    const process = processes[sent % processes.length]
    if (process === undefined || asked !== origin) return { url, forwarded: {} }
    sent += 1
    return { url: `${new URL(process).origin}${pathname}${search}`, forwarded }
  }
}
