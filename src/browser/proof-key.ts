import * as oauth from 'oauth4webapi'
import { startStopwatch } from '../glue/stopwatch.ts'

/** A key that tokens are bound to: RFC 9449. The page can sign with it, and cannot read it. */
export class ProofKey {
  /** For requests to the token endpoint. */
  readonly handle: oauth.DPoPHandle
  /** Seconds since the epoch. */
  #now = () => Date.now() / 1000

  private constructor(keyPair: CryptoKeyPair) {
    this.handle = oauth.DPoP({}, keyPair, {
      [oauth.modifyAssertion]: (_header, payload) => {
        payload.iat = Math.floor(this.#now())
      },
    })
  }

  static async generate(): Promise<ProofKey> {
    return new ProofKey(await oauth.generateKeyPair('ES256', { extractable: false }))
  }

  /**
   * Uses the clock of the provider from now on: a proof with a wrong time is refused.
   *
   * @param time in seconds since the epoch
   */
  setClock(time: number): void {
    const passed = startStopwatch()
    this.#now = () => time + passed() / 1000
  }
}
