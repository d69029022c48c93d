import type { Provider } from 'oidc-provider-impersonation'

const HELP_TEXTS: Readonly<Record<string, string>> = {
  issued: 'Subject tokens that were issued.',
  started: 'Subject tokens that were exchanged for an access token.',
  denied: 'Requests that were refused or failed, by stage and error.',
  replayed: 'Subject tokens that were presented after they had been redeemed.',
  ended: 'Impersonations that were ended before they expired, by cause.',
  warnings: 'Warnings of the package: see docs/troubleshooting.md.',
}

/**
 * Counts what this process decides. Labels have few values: who and whom stand in the log.
 *
 * @returns the body for `GET /metrics`, as `text/plain; version=0.0.4`
 */
export function impersonationMetrics(provider: Provider): () => string {
  const counters = new Map<string, Map<string, number>>()
  const count = (name: string, labels = '') => {
    const values = counters.get(name) ?? new Map<string, number>()
    counters.set(name, values.set(labels, (values.get(labels) ?? 0) + 1))
  }
  for (const name of Object.keys(HELP_TEXTS)) counters.set(name, new Map())
  // At 0 from the start: what is not there before its first time has no increase.
  for (const name of ['issued', 'started', 'replayed', 'warnings']) counters.get(name)?.set('', 0)

  provider.on('impersonation.issued', () => count('issued'))
  provider.on('impersonation.started', () => count('started'))
  provider.on('impersonation.replayed', () => count('replayed'))
  provider.on('impersonation.denied', (_ctx, { denial }) =>
    count('denied', `{stage="${denial?.stage}",error="${denial?.error}"}`),
  )
  provider.on('impersonation.ended', (_ctx, { end }) => count('ended', `{cause="${end?.cause}"}`))
  process.on('warning', ({ name }) => {
    if (name === 'ImpersonationWarning') count('warnings')
  })

  return () => {
    let text = ''
    for (const [name, values] of counters) {
      const metric = `impersonation_${name}_total`
      text += `# HELP ${metric} ${HELP_TEXTS[name]}\n# TYPE ${metric} counter\n`
      for (const [labels, value] of values) text += `${metric}${labels} ${value}\n`
    }
    return text
  }
}
