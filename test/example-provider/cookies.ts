import { type Answer, send } from './support.ts'

/** The state of one browser: every cookie it got, by name. */
export class Cookies {
  readonly #cookies = new Map<string, string>()

  async send(url: string, init: RequestInit = {}): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    headers.set('cookie', cookie)
    const answer = await send(url, { ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value) this.#cookies.set(name, value)
      else this.#cookies.delete(name)
    }
    return answer
  }

  submit(url: string, fields: Record<string, string>): Promise<Answer> {
    return this.send(url, { method: 'POST', body: new URLSearchParams(fields) })
  }
}
