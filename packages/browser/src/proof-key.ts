import { oauth } from './oauth.ts'
import { startStopwatch } from './stopwatch.ts'

/** A key that tokens are bound to: RFC 9449. The page can sign with it, but cannot read it. */
export interface ProofKey {
  /** The handle for requests to the token endpoint. */
  readonly handle: oauth.DPoPHandle
  /**
   * Uses the clock of the provider from now on, because a proof with a wrong time is refused.
   *
   * @param time - in seconds since the epoch
   */
  setClock(time: number): void
}

export async function generateProofKey(): Promise<ProofKey> {
  let now = () => Date.now() / 1000
  const keyPair = await oauth.generateKeyPair('ES256', { extractable: false })
  return {
    handle: oauth.DPoP({}, keyPair, {
      [oauth.modifyAssertion]: (_header, payload) => {
        payload.iat = Math.floor(now())
      },
    }),
    setClock(time) {
      const passed = startStopwatch()
      now = () => time + passed() / 1000
    },
  }
}
