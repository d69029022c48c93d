import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type ProviderProcess, startProvider } from './providers.ts'
import { onStores } from './stores.ts'

/** What an API may at most not know, whatever happens, in milliseconds. */
const PROMISE = 35_000

describe('I11: an end reaches an API in another process, by whichever copy of the provider', () => {
  onStores(['node-redis', 'pg'], (store) => {
    let providers: [ProviderProcess, ProviderProcess]
    let child: ChildProcess | undefined
    let api: string

    before(async () => {
      const start = () => startProvider({ storage: store.spec() })
      providers = await Promise.all([start(), start()])
      child = fork(
        join(import.meta.dirname, 'api-process.ts'),
        providers.map(({ base }) => base),
        {
          execArgv: ['--no-warnings'],
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        },
      )
      ;[api] = await once(child, 'message')
    })
    after(async () => {
      // Where the server is missing, nothing was started.
      if (!child) return
      child.disconnect()
      await once(child, 'exit')
      // Killed already, unless a test failed before.
      providers[1].child.kill('SIGKILL')
      await providers[0].stop()
    })

    const ask = async (token: string) => {
      const answer = await fetch(api, { headers: { authorization: `Bearer ${token}` } })
      return `${answer.status} ${await answer.text()}`
    }

    /** What an impersonation of the user got, copied and in use. */
    async function copied(userId: string): Promise<string> {
      const [one] = providers
      const subjectToken = await one.subjectToken(userId)
      const { status, body } = await one.exchange(subjectToken)
      expect(status, body).to.equal(200)
      const token: string = JSON.parse(body).access_token
      expect(await ask(token)).to.match(/^200/)
      return token
    }

    it('refused, also where the copy that took the end is killed right after its answer', async function () {
      this.timeout(60_000)
      const [, other] = providers
      const [token, bystander] = [await copied('frank'), await copied('grace')]
      expect((await other.end('end', { userId: 'frank' })).body).to.equal('{"ended":1}')
      await other.kill()
      const ended = performance.now()
      let said = await ask(token)
      while (said.startsWith('200') && performance.now() - ended < PROMISE) {
        await wait(100)
        said = await ask(token)
      }
      expect(said).to.match(/^401 .*impersonation has ended/)
      expect(await ask(bystander)).to.match(/^200/)
    })
  })
})
