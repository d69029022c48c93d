import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installed } from './installed.ts'
import { isDoneWithin } from './is-done-within.ts'
import { clickAt, type Seat, type Tab, type TestBrowser, typed } from './seat.ts'

const PATHS = process.env.FIREFOX
  ? [process.env.FIREFOX]
  : ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox']
const executable = installed(PATHS)

/** Firefox has not always ended by itself: with five persons, it once hung. */
const CLOSE_TIMEOUT_MS = 5000

/** By WebDriver BiDi: https://w3c.github.io/webdriver-bidi/ */
type Send = (method: string, params: object) => Promise<unknown>

interface Running {
  readonly send: Send
  close(): Promise<void>
}

let running: Promise<Running> | undefined

export const firefox: TestBrowser = {
  name: 'Firefox',
  missing: executable
    ? undefined
    : `there is no ${PATHS.join(', no ')}: install Firefox (on Debian: apt-get install firefox-esr), or say in FIREFOX where it is`,
  async sitDown(): Promise<Seat> {
    running ??= launch()
    const { send } = await running
    const { userContext } = await ask<{ userContext: string }>(send, 'browser.createUserContext')
    return {
      async open() {
        // A window of its own: a tab behind another one is hidden.
        const params = { type: 'window', userContext }
        return tabOf(send, (await ask<Context>(send, 'browsingContext.create', params)).context)
      },
      async tabs() {
        const { contexts } = await ask<{ contexts: Context[] }>(send, 'browsingContext.getTree')
        return contexts
          .filter((it) => it.userContext === userContext)
          .map((it) => tabOf(send, it.context))
      },
      async [Symbol.asyncDispose]() {
        // The rest goes with the browser.
        await isDoneWithin(CLOSE_TIMEOUT_MS, send('browser.removeUserContext', { userContext }))
      },
    }
  },
}

after(async () => (await running)?.close())

interface Context {
  readonly context: string
  readonly userContext: string
}

async function ask<T>(send: Send, method: string, params: object = {}): Promise<T> {
  return (await send(method, params)) as T
}

function tabOf(send: Send, context: string): Tab {
  return {
    id: context,
    goto: async (url) =>
      void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    reload: async () => void (await send('browsingContext.reload', { context, wait: 'complete' })),
    async evaluate(expression) {
      const answer = await ask<Evaluated>(send, 'script.evaluate', {
        expression: `(async () => JSON.stringify({ value: await (${expression}), isHidden: document.hidden }))()`,
        target: { context },
        awaitPromise: true,
      })
      if (answer.type !== 'success') throw new Error(answer.exceptionDetails?.text)
      const { value = undefined, isHidden } = JSON.parse(`${answer.result?.value}`)
      // A link may have opened a tab in front of it. What a person looks at is in front.
      if (isHidden) await send('browsingContext.activate', { context })
      return value
    },
    click: async (x, y) =>
      void (await send('input.performActions', { context, actions: clickAt(x, y) })),
    setSize: async (viewport) =>
      void (await send('browsingContext.setViewport', { context, viewport })),
    type: async (text) =>
      void (await send('input.performActions', { context, actions: typed(text) })),
    screenshot: async () =>
      (await ask<{ data: string }>(send, 'browsingContext.captureScreenshot', { context })).data,
    close: async () => void (await send('browsingContext.close', { context })),
  }
}

interface Evaluated {
  readonly type: string
  readonly result?: { readonly value?: string }
  readonly exceptionDetails?: { readonly text: string }
}

async function launch(): Promise<Running> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'))
  const child = spawn(
    executable ?? '',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    {
      env: { ...process.env, HOME: profile },
      stdio: ['ignore', 'ignore', 'pipe'],
      // A process group of its own: Firefox has many processes, which end together.
      detached: true,
    },
  )
  const killGroup = () => killProcessGroup(child)
  process.once('exit', killGroup)
  process.once('SIGTERM', () => process.exit(143))
  const socket = new WebSocket(`${await listeningAt(child)}/session`)
  await new Promise((resolve, reject) =>
    Object.assign(socket, { onopen: resolve, onerror: reject }),
  )
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  socket.onmessage = ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data))
    if (error) pending.get(id)?.reject(new Error(`${error}: ${message}`))
    else pending.get(id)?.resolve(result)
    pending.delete(id)
  }
  let sent = 0
  const send: Send = (method, params) => {
    const answer = Promise.withResolvers<unknown>()
    sent += 1
    pending.set(sent, answer)
    socket.send(JSON.stringify({ id: sent, method, params }))
    return answer.promise
  }
  await send('session.new', { capabilities: {} })
  return {
    send,
    async close() {
      const exited = once(child, 'exit')
      const closed = send('browser.close', {}).then(() => exited)
      await isDoneWithin(CLOSE_TIMEOUT_MS, closed)
      killGroup()
      await exited
      process.off('exit', killGroup)
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function killProcessGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

async function listeningAt({ stderr }: ChildProcess): Promise<string> {
  const printed: string[] = []
  if (!stderr) throw new Error('Firefox has no output')
  for await (const line of createInterface(stderr)) {
    const url = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
    if (url) {
      stderr.resume()
      return url
    }
    printed.push(line)
  }
  throw new Error(`Firefox ended: ${printed.join('\n')}`)
}
