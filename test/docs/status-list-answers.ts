import { faultyAdapter } from '../support/faulty-adapter.ts'
import { answerOf } from '../support/http.ts'
import { managing } from '../support/managing.ts'
import type { SeenAnswer } from './openapi-document.ts'

/** Every answer of the status lists. */
export async function* statusListAnswers(): AsyncGenerator<SeenAnswer> {
  const { adapter, faults } = faultyAdapter()
  const deployment = await managing({ configuration: { adapter } })
  const { id } = await deployment.start()
  const impersonation = await deployment.get(`/${id}`)
  const all = `${deployment.issuer}/status-lists`
  const urls = { listStatusLists: all, getStatusList: String(impersonation.body.status.uri) }
  const ask = async (url: string, init: RequestInit = {}) => answerOf(await fetch(url, init))
  for (const [operation, url] of Object.entries(urls)) {
    const answer = await ask(url)
    yield { operation, what: 'a good request', answer }
    for (const headers of [
      { 'accept-encoding': 'identity' },
      // Without the second, `fetch` forbids caches to answer with 304.
      { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
      { accept: 'image/png' },
    ]) {
      yield { operation, what: JSON.stringify(headers), answer: await ask(url, { headers }) }
    }
    yield { operation, what: 'POST', answer: await ask(url, { method: 'POST' }) }
  }
  const operation = 'getStatusList'
  yield { operation, what: 'unknown', answer: await ask(`${all}/${'A'.repeat(22)}`) }
  yield { operation, what: 'of another time', answer: await ask(`${urls[operation]}?time=1`) }
  await deployment.close()
  // Another process, which keeps no copy yet.
  const again = await managing({ configuration: { adapter } })
  const { pathname } = new URL(urls.getStatusList)
  for (const method of ['find', 'list', 'endedIndices']) faults.add(`SubjectToken.${method}`)
  for (const [operation, path] of [
    ['listStatusLists', '/oidc/status-lists'],
    ['getStatusList', pathname],
  ] as const) {
    yield { operation, what: 'trouble', answer: await ask(`${again.base}${path}`) }
  }
  await again.close()
}
