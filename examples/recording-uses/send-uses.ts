// Sends uses in batches, and sends a batch again until it is taken, so a batch can arrive twice.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ImpersonationUse } from 'oidc-provider-impersonation-resource-server'

// RECORDER serves POST /uses: the console, or a recorder of your own. The console takes a token without
// a scope. For a recorder of your own, set SCOPE.
const { ISSUER = 'https://id.example.com/oidc', RECORDER = 'https://id.example.com' } = process.env
const { CLIENT_ID = 'orders-api', CLIENT_SECRET = '', SCOPE } = process.env
const { MOST_WAITING = '10000' } = process.env
/** In one request. */
const BATCH_SIZE = 100

/** Replaces the uses that were dropped because too many waited. */
type Gap = { readonly useId: string; readonly timeMs: number; dropped: number }

const waiting: (ImpersonationUse | Gap)[] = []
let sending: Promise<void> | undefined
let token: string | undefined
let end: AbortSignal | undefined

/** For `onImpersonatedRequest`. */
export function record(use: ImpersonationUse): void {
  if (waiting.length < Number(MOST_WAITING)) waiting.push(use)
  else drop()
  sending ??= sendAll()
}

/** At the end of the process: sends what waits, for 10 seconds. The log gets the rest. */
export async function flush(): Promise<void> {
  end = AbortSignal.timeout(10_000)
  await sending
}

function drop(): void {
  const last = waiting.at(-1)
  if (last && 'dropped' in last) {
    last.dropped += 1
    return
  }
  waiting.push({ useId: randomUUID(), timeMs: Date.now(), dropped: 1 })
  process.emitWarning('too many uses of impersonations wait: those that come now are dropped')
}

async function sendAll(): Promise<void> {
  for (;;) {
    const batch = waiting.splice(0, BATCH_SIZE)
    if (batch.length === 0) break
    for (let pause = 100; !(await isTaken(batch)); pause = Math.min(2 * pause, 5000)) {
      if (end?.aborted) {
        for (const use of batch) console.error('not recorded:', JSON.stringify(use))
        break
      }
      await wait(pause)
    }
  }
  sending = undefined
}

async function isTaken(batch: readonly unknown[]): Promise<boolean> {
  try {
    token ??= await machineToken()
    const response = await fetch(`${RECORDER}/uses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(batch),
      signal: AbortSignal.timeout(10_000),
    })
    await response.body?.cancel()
    if (response.status === 204) return true
    if (response.status === 401) token = undefined
    console.error(`uses wait: the recorder answers ${response.status}`)
  } catch (error) {
    console.error('uses wait:', error)
  }
  return false
}

async function machineToken(): Promise<string> {
  const credentials = [CLIENT_ID, CLIENT_SECRET].map(encodeURIComponent).join(':')
  const response = await fetch(`${ISSUER}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(SCOPE && { scope: SCOPE, resource: RECORDER }),
    }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the token endpoint answers ${response.status}`)
  const answer = (await response.json()) as { access_token: string }
  return answer.access_token
}
