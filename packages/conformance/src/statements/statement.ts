import type { Part } from '../configuration.ts'
import type { Server } from '../server.ts'

/** One numbered statement of the profile, and the test of it. */
export interface Statement {
  /** `P12`. Numbers are never used again. */
  readonly number: string
  readonly part: Part
  /** The name of the test, after its number. */
  readonly title: string
  /** Word for word as in the profile. */
  readonly clause: string
  /** @throws Violation where it does not hold, Skip where it cannot be tested */
  readonly test: (server: Server) => Promise<void>
}
