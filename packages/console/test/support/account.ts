import type { Answer } from './deployment.ts'

/** The parts of the account page. */
const PARTS: Readonly<Record<string, 'past' | 'records' | 'running'>> = {
  '/impersonations': 'past',
  '/records': 'records',
  '/running': 'running',
}

/** Asks for a part of the account page, or does what the path names. A part that is not shown is a 503. */
export async function askAccount(
  url: string,
  headers: Readonly<Record<string, string>>,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const [name = '', query = ''] = path.split('?')
  const part = body === undefined ? PARTS[name] : undefined
  const to = part ? `?${query}` : path
  const response = await fetch(`${url}/account${to}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...headers },
  })
  const text = await response.text()
  const answer = text === '' ? undefined : JSON.parse(text)
  const shown = part && response.status === 200 ? answer[part] : answer
  return {
    status: part && shown === null ? 503 : response.status,
    headers: response.headers,
    text: part ? JSON.stringify(shown ?? '') : text,
    body: part === 'running' ? { impersonations: shown } : shown,
  }
}
