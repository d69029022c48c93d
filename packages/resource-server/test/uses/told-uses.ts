import { EventEmitter } from 'node:events'
import { request as httpRequest } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { ImpersonationUse } from '../../src/index.ts'

/** A stand-in for Node's response, or for its socket. */
export class Connection extends EventEmitter {
  statusCode = 200
  headersSent = false
  destroyed = false
  answer(status: number): void {
    Object.assign(this, { statusCode: status, headersSent: true })
    this.emit('finish')
    this.close()
  }
  close(): void {
    this.destroyed = true
    this.emit('close')
  }
}

export type DescribedUses = ReturnType<typeof toldUses>

/** Collects what a guard tells. */
export function toldUses() {
  const uses: ImpersonationUse[] = []
  return {
    uses,
    onImpersonatedRequest: (use: ImpersonationUse) => void uses.push(use),
    /** Waits until so many were told, and then whether there are more; answers and forgets them. */
    async take(count: number) {
      for (let tries = 0; uses.length < count && tries < 1500; tries += 1) await wait(10)
      await wait(20)
      return uses.splice(0)
    },
  }
}

/** Returns a use without the members that differ in each run. */
export function without({ useId, timeMs: time, ...rest }: ImpersonationUse): object {
  return rest
}

/** Sends a request, and goes away before the answer once `gone` says so. */
export function leave(url: string, headers: Record<string, string>, gone: () => boolean) {
  return new Promise<void>((resolve) => {
    const request = httpRequest(url, { headers }).on('error', () => resolve())
    request.end()
    const timer = setInterval(() => {
      if (!gone()) return
      clearInterval(timer)
      request.destroy()
      resolve()
    }, 10)
  })
}
