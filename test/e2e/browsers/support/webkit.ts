import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../adapters/servers.ts'
import { installed } from './installed.ts'
import { isDoneWithin } from './is-done-within.ts'
import { clickAt, type Seat, type Tab, type TestBrowser, typed } from './seat.ts'

const driver = installed([process.env.WEBKIT_DRIVER ?? '/usr/bin/WebKitWebDriver'])
const xvfb = installed(['/usr/bin/Xvfb'])

const CLOSE_TIMEOUT_MS = 5000

interface Display {
  readonly name: string
  readonly child: ChildProcess | undefined
}

let display: Promise<Display> | undefined

/** By classic WebDriver: https://www.w3.org/TR/webdriver2/ */
export const webkit: TestBrowser = {
  name: 'WebKit',
  missing:
    driver && (process.env.DISPLAY || xvfb)
      ? undefined
      : 'there is no WebKitWebDriver, or no display: install both (on Debian: apt-get install webkit2gtk-driver xvfb), or say in WEBKIT_DRIVER where it is',
  async sitDown(): Promise<Seat> {
    display ??= openDisplay()
    const { name } = await display
    const port = await freePort()
    // A driver has one session.
    const child = spawn(driver ?? '', [`--port=${port}`], {
      env: { ...process.env, DISPLAY: name, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
      stdio: 'ignore',
    })
    const base = `http://127.0.0.1:${port}`
    while (!(await fetch(`${base}/status`).catch(() => undefined))?.ok) await wait(20)
    const { sessionId } = await ask<{ sessionId: string }>(`${base}/session`, {
      capabilities: { alwaysMatch: {} },
    })
    const session = `${base}/session/${sessionId}`
    const run = inTurn(session)
    const handles = () => run<string[]>(undefined, 'window/handles')
    const unused = await handles()
    return {
      async open() {
        const handle =
          unused.pop() ??
          (await run<{ handle: string }>(undefined, 'window/new', { type: 'window' })).handle
        return tabOf(run, handle)
      },
      tabs: async () => (await handles()).map((handle) => tabOf(run, handle)),
      async [Symbol.asyncDispose]() {
        await isDoneWithin(CLOSE_TIMEOUT_MS, ask(session, undefined, 'DELETE'))
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
      },
    }
  },
}

after(async () => (await display)?.child?.kill())

/** A command, after those before it: a session has one window at a time. */
type Run = <T>(
  handle: string | undefined,
  path: string,
  body?: object,
  method?: string,
) => Promise<T>

function inTurn(session: string): Run {
  let before: Promise<unknown> = Promise.resolve()
  return <T>(handle: string | undefined, path: string, body?: object, method?: string) => {
    const command = async () => {
      if (handle) await ask(`${session}/window`, { handle })
      return ask<T>(`${session}/${path}`, body, method)
    }
    const answer = before.then(command, command)
    before = answer
    return answer
  }
}

function tabOf(run: Run, handle: string): Tab {
  return {
    id: handle,
    goto: (url) => run(handle, 'url', { url }),
    reload: () => run(handle, 'refresh', {}),
    evaluate: (expression) =>
      run(handle, 'execute/async', {
        script: `const done = arguments[0];
          (async () => ({ value: await (${expression}) }))()
            .then(done, (error) => done({ error: String(error) }))`,
        args: [],
      }).then((answer) => {
        const { value, error } = answer as { value?: never; error?: string }
        if (error) throw new Error(error)
        return value as never
      }),
    click: (x, y) => run(handle, 'actions', { actions: clickAt(x, y) }),
    setSize: (size) => run(handle, 'window/rect', { ...size }),
    type: (text) => run(handle, 'actions', { actions: typed(text) }),
    screenshot: () => run(handle, 'screenshot'),
    close: () => run(handle, 'window', undefined, 'DELETE'),
  }
}

async function ask<T>(url: string, body?: object, method = body ? 'POST' : 'GET'): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  })
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } }
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`)
  return value
}

/** The display of this machine, or one without a screen. */
async function openDisplay(): Promise<Display> {
  if (process.env.DISPLAY) return { name: process.env.DISPLAY, child: undefined }
  const child = spawn(
    xvfb ?? '',
    ['-displayfd', '1', '-screen', '0', '1440x1000x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  for await (const line of createInterface(child.stdout)) return { name: `:${line}`, child }
  throw new Error('Xvfb ended')
}
